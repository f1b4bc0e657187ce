/** Lets only the last of several overlapping requests show its result. */

/**
 * Return a function that begins a request. It returns one that tells whether that request is still the last.
 *
 * @returns {() => () => boolean}
 */
export function latestOnly() {
  let last = 0
  return () => {
    const ticket = ++last
    return () => ticket === last
  }
}
