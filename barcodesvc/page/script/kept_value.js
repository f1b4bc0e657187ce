/** A value that the browser keeps as JSON. If the browser stores nothing, it lasts until the page is closed. */

/**
 * @param {'localStorage' | 'sessionStorage'} storage for all tabs of the device, or for this tab
 * @param {string} name
 */
export function keptValue(storage, name) {
  let unstored = 'null'

  function stored() {
    try {
      return globalThis[storage].getItem(name) ?? unstored
    } catch {
      return unstored
    }
  }

  return {
    /** Return the value, or null if there is none, or if it is damaged. @returns {unknown} */
    read() {
      try {
        return JSON.parse(stored())
      } catch {
        return null
      }
    },
    /** @param {unknown} value */
    store(value) {
      const written = JSON.stringify(value)
      try {
        globalThis[storage].setItem(name, written)
      } catch {
        unstored = written // full or forbidden
      }
    },
  }
}
