/** What to do first in an empty shop: import a list, create a product, look around with a demo catalogue, open a phone. */

import { address } from '../api.js'
import { element, fill } from '../dom.js'
import { requestImport } from '../import_request.js'
import { importNow } from '../importing.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { untilQuiet } from '../quiet.js'
import { symbol } from '../symbols.js'
import { errorText } from './failure.js'
import { fileButton } from './import_start.js'
import { openOnPhone } from './phone_dialog.js'
import { newProduct } from './product_form.js'

/** Milliseconds without input before the view moves down for them. */
const STILL = 500

/**
 * The demo catalogue: code, key of the description, stock, minimum, maximum. Its EAN-13 begin with 952, which GS1 reserves for
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

/** Whether this page has seen a product: a shop that has one needs no first steps. */
let isStocked = false

/**
 * Show the first steps above a view while the shop is empty. They wait for a moment without input, so that nothing moves
 * away from under a finger. A service that cannot be reached, or needs a key first, is left alone.
 *
 * @param {Element} main
 */
export async function offerFirstSteps(main) {
  if (isStocked || main.querySelector('.first-steps')) return
  const view = main.firstElementChild
  const response = await fetch(address('/api/products', { limit: 1 })).catch(() => null)
  if (!response?.ok || view !== main.firstElementChild) return
  const { pagination } = await response.json()
  isStocked = pagination.total > 0
  if (isStocked) return
  await untilQuiet(STILL)
  if (!isStocked && view === main.firstElementChild) main.prepend(firstSteps())
}

function firstSteps() {
  const outcome = element('p', { role: 'status' })
  const importing = fileButton(text('start.import'), requestImport)
  importing.classList.add('main')
  const isPhone = window.matchMedia('(pointer: coarse)').matches
  const created = ({ description = '' }) => {
    done()
    announce(text('product.saved', { product: description }))
  }
  const demo = element('button', { type: 'button', onclick: () => void look() }, text('start.demo'))
  const node = element(
    'section',
    { class: 'card first-steps', 'aria-labelledby': 'first-steps' },
    element('h2', { id: 'first-steps' }, text('start.title')),
    element('p', null, text('start.how')),
    element(
      'div',
      { class: 'row' },
      importing,
      element(
        'button',
        { type: 'button', onclick: () => newProduct({}, created) },
        symbol('add'),
        text('start.create'),
      ),
      demo,
      !isPhone && element('button', { type: 'button', onclick: openOnPhone }, text('phone.title')),
    ),
    outcome,
  )

  function done() {
    isStocked = true
    node.remove()
  }

  async function look() {
    demo.disabled = true
    fill(outcome, text('loading'))
    try {
      const count = await loadDemo()
      done()
      announce(text('start.demo.loaded', { count, category: text('demo') }))
      location.hash = '#products'
    } catch (error) {
      demo.disabled = false
      fill(outcome, element('span', { class: 'problem', role: 'alert' }, errorText(error)))
    }
  }

  return node
}

/** Put the demo catalogue into the shop, and return the number of its products. */
async function loadDemo() {
  const head = 'product_code,description,category,current_level,minimum_level,maximum_level'
  const rows = PRODUCTS.map(([code, key, ...levels]) => [code, text(`demo.${key}`), text('demo'), ...levels].join(','))
  const file = new File([[head, ...rows].join('\r\n')], 'demo.csv', { type: 'text/csv' })
  const { imported } = await importNow({ file, mode: 'skip', sheet: '', map: null }, () => undefined)
  return imported
}
