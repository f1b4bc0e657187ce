/**
 * How long a search waits for the next key.
 *
 * Rule: the service has an index of each three characters (trigrams). A shorter text is compared with every product, which
 * takes seconds with a million of them; so it is searched only after a longer pause.
 */

/** Characters that the service's index needs. */
const INDEXED = 3

/**
 * Return the milliseconds after the last key before the search is sent.
 *
 * @param {string} typed
 */
export function pauseBehind(typed) {
  return typed !== '' && [...typed].length < INDEXED ? 600 : 200
}
