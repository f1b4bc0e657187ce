/** The keys under which a request that is sent again changes nothing twice. */

/** Return a new idempotency key: 128 random bits. `crypto.randomUUID` is missing over plain HTTP. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
