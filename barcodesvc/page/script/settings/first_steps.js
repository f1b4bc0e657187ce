/**
 * What to do first in an empty shop: import a list, create a product, look around with a demo catalogue, open a phone.
 *
 * Rule: they are part of the first view, so what they lead to is loaded when it is needed.
 */

import { element, fill } from '../dom.js'
import { requestImport } from '../import/request.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { noteProducts } from '../shop_state.js'
import { symbol } from '../symbols.js'
import { needed } from '../version.js'
import { fileButton } from '../import/start.js'

export function firstSteps() {
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
      element('button', { type: 'button', onclick: () => void create() }, symbol('add'), text('start.create')),
      demo,
      !isPhone && element('button', { type: 'button', onclick: () => void openPhone() }, text('phone.title')),
    ),
    outcome,
  )

  function done() {
    noteProducts(true)
    node.remove()
  }

  async function create() {
    const { newProduct } = await needed(import('../products/form.js'))
    newProduct({}, created)
  }

  async function openPhone() {
    const { openOnPhone } = await needed(import('./phone_dialog.js'))
    openOnPhone()
  }

  async function look() {
    demo.disabled = true
    fill(outcome, text('loading'))
    try {
      const { loadDemo } = await needed(import('./demo_catalogue.js'))
      const count = await loadDemo()
      done()
      announce(text('start.demo.loaded', { count, category: text('demo') }))
      location.hash = '#products'
    } catch (error) {
      demo.disabled = false
      const { errorText } = await needed(import('../failure.js'))
      fill(outcome, element('span', { class: 'problem', role: 'alert' }, errorText(error)))
    }
  }

  return node
}
