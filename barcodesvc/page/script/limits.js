/**
 * Limits and names that the service has put into the document, so that a field accepts what the service does: lengths of
 * texts in characters, numbers of entries, lengths on paper in mm. A worker has no document, and so no limits.
 */

/** @type {Readonly<import('./types.js').Limits>} */
export const LIMITS = Object.freeze(JSON.parse(globalThis.document?.documentElement.dataset?.['limits'] ?? '{}'))
