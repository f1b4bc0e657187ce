/**
 * How long a search waits for the next key.
 *
 * Rule: the service has an index of each three characters (trigrams). What is shorter is compared with every product, which
 * takes seconds where there are a million; so it is asked for when somebody has really stopped typing.
 */

/** Characters that the service's index needs. */
const INDEXED = 3

/**
 * Return milliseconds after the last key before the service is asked.
 *
 * @param {string} typed
 */
export function pauseBehind(typed) {
  return typed !== '' && [...typed].length < INDEXED ? 600 : 200
}
