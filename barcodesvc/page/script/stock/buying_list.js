/** What to buy: how much is missing of each product, as rows, as text to share, and as CSV. */

/** @typedef {{product_id: number, product_code: string, description: string, current_level: number, minimum_level: number, maximum_level: number}} Level */
/** @typedef {Level & {amount: number}} Purchase */

/**
 * Return what to buy of the products that are low or out of stock: up to the maximum, otherwise up to the minimum.
 *
 * @param {readonly Level[]} levels a product may be there twice
 * @returns {Purchase[]}
 */
export function purchasesOf(levels) {
  const each = new Map(levels.map((level) => [level.product_id, level]))
  return [...each.values()]
    .map((level) => ({ ...level, amount: (level.maximum_level || level.minimum_level) - level.current_level }))
    .filter(({ amount }) => amount > 0)
    .sort((one, other) => one.product_id - other.product_id)
}

/**
 * Return the list as text, a line for each product.
 *
 * @param {readonly Purchase[]} purchases
 * @param {(value: number) => string} number
 */
export function asText(purchases, number) {
  return purchases.map((each) => `${number(each.amount)} × ${each.description} (${each.product_code})`).join('\n')
}

/**
 * Return the list as a CSV file with these column headers: code, description, stock, amount.
 *
 * @param {readonly Purchase[]} purchases
 * @param {string[]} headers
 */
export function asCsv(purchases, headers) {
  const rows = purchases.map((each) => [each.product_code, each.description, each.current_level, each.amount])
  // with a byte order mark, without which Excel reads UTF-8 as another encoding
  return `\ufeff${[headers, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')}`
}

/**
 * Return a cell of CSV. An apostrophe stops spreadsheets from running a text as a formula, as in the service's exports.
 *
 * @param {string | number} value
 */
function cellOf(value) {
  if (typeof value === 'number') return String(value)
  const guarded = value.replace(/(^|[;,\t|])(?=['"]*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20])/g, "$1'")
  return /[",;\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}
