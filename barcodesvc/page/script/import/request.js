/** Hands a file from any view to that of the products, which imports it. */

/** @type {File | null} */
let requested = null

/**
 * Open the view of the products with the import of a file.
 *
 * @param {File} file
 */
export function requestImport(file) {
  requested = file
  location.hash = '#products'
}

/** Return the requested file, once, or null. */
export function requestedImport() {
  const file = requested
  requested = null
  return file
}
