/** Gives scripts the storage of a browser. */

/**
 * @param {'localStorage' | 'sessionStorage'} name
 * @param {Map<string, string>} [values] what is stored
 * @returns {Map<string, string>} the same
 */
export function pretendStorage(name, values = new Map()) {
  const storage = {
    getItem: (/** @type {string} */ key) => values.get(key) ?? null,
    setItem: (/** @type {string} */ key, /** @type {string} */ value) => void values.set(key, value),
  }
  Object.defineProperty(globalThis, name, { value: storage, configurable: true })
  return values
}
