/** Writes GS1 data as labels show it to people. */

/** What a scanner sends and no label shows: the AIM identifier, and what ends an element. */
const IDENTIFIER = /^\][A-Za-z]\w/
const SEPARATOR = /^\p{Cc}/u

/**
 * Return a scanned text with its application identifiers (AI) in brackets; unchanged if it has anything but the elements.
 *
 * @param {string} text
 * @param {Record<string, string>} elements the value of each AI, as the service has understood the text
 */
export function asOnLabel(text, elements) {
  const label = []
  let rest = text.replace(IDENTIFIER, '')
  while (rest) {
    // no AI is the beginning of another, so at most one fits
    const found = Object.entries(elements).find(([ai, value]) => rest.startsWith(ai + value))
    if (!found) return text
    label.push(`(${found[0]})${found[1]}`)
    rest = rest.slice(found.join('').length).replace(SEPARATOR, '')
  }
  return label.join('') || text
}
