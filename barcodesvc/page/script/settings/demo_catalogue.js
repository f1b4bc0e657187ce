/** The demo catalogue, with which a newcomer looks around. */

import { importNow } from '../import/importing.js'
import { text } from '../language.js'

/**
 * Its products: code, key of the description, stock, minimum, maximum. Its EAN-13 begin with 952, which GS1 reserves for
 * examples. All products have one category, so that they can be found and deleted together.
 */
const PRODUCTS = [
  ['9521234000013', 'biscuits', 120, 40, 200],
  ['9521234000020', 'water', 36, 48, 120],
  ['9521234000037', 'coffee', 18, 10, 40],
  ['9521234000044', 'chocolate', 64, 20, 100],
  ['9521234000051', 'soap', 0, 12, 48],
  ['9521234000068', 'candle', 25, 5, 50],
  ['BOLT-M8x40', 'bolt', 1500, 200, 2000],
  ['NUT-M8', 'nut', 180, 200, 2000],
  ['TAPE-50', 'tape', 9, 6, 24],
  ['SHELF-07', 'shelf', 12, 4, 16],
  ['PAINT-BLUE', 'paint', 8, 10, 30],
  ['GLOVES-L', 'gloves', 0, 0, 0],
]

/** Put the demo catalogue into the shop, and return the number of its products. */
export async function loadDemo() {
  const head = 'product_code,description,category,current_level,minimum_level,maximum_level'
  const rows = PRODUCTS.map(([code, key, ...levels]) => [code, text(`demo.${key}`), text('demo'), ...levels].join(','))
  const file = new File([[head, ...rows].join('\r\n')], 'demo.csv', { type: 'text/csv' })
  const { imported } = await importNow({ file, mode: 'skip', sheet: '', map: null }, () => undefined)
  return imported
}
