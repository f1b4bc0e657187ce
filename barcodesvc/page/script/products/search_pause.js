/**
 * How long a search waits for the next key.
 *
 * Rule: the service has an index of each three characters (trigrams). If all words are shorter, they are compared with
 * every product, which takes seconds with a million of them; so they are searched only after a longer pause.
 */

/** Characters that the service's index needs. */
const INDEXED = 3

/**
 * Return the milliseconds after the last key before the search is sent.
 *
 * @param {string} typed
 */
export function pauseBehind(typed) {
  const isIndexed = typed.split(/\s+/).some((word) => [...word].length >= INDEXED)
  return typed === '' || isIndexed ? 200 : 600
}
