/** One product: its symbol and fields, its level and how to change it, its history with a chart. */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { text } from '../language.js'
import { changeList } from './change_list.js'
import { failure } from '../failure.js'
import { levelCard } from './level_card.js'
import { levelChart } from './level_chart.js'
import { whileLoading } from '../loading.js'
import { productFields } from './fields.js'
import { changeProduct } from './form.js'
import { symbol } from '../symbols.js'

/**
 * @typedef {object} OpenProduct
 * @property {HTMLElement} node
 * @property {() => void} close
 * @property {() => boolean} isTyped whether something was typed that is not booked
 * @property {() => void} focus the title
 *
 * @typedef {object} Actions
 * @property {() => string} list returns the address of the list
 * @property {() => void} changed called after the product or its level has changed
 * @property {(product: any) => void} remove
 */

/**
 * @param {string} id as the address has it
 * @param {Actions} actions
 * @returns {OpenProduct}
 */
export function openProduct(id, { list, changed, remove }) {
  const ended = new AbortController()
  const { signal } = ended
  const path = encodeURIComponent(id)
  const title = element('h1', { tabindex: '-1' }, text('product'))
  const about = element('section', { class: 'card', 'aria-label': text('product') })
  const chart = element('div')
  const booked = () => {
    changed()
    void history.reload()
  }
  const level = levelCard(path, booked, signal)
  const history = changeList({
    load: (place) => ask('GET', `/api/inventory/${path}/history`, { query: place, signal }),
    none: text('product.history.none'),
    changed: (changes, made) => {
      if (made) {
        level.change(made.new_level)
        changed()
      }
      fill(chart, changes.length > 1 && levelChart(changes, level.level().minimum_level, new Date()))
    },
    signal,
  })

  async function load() {
    try {
      const request = Promise.all([
        ask('GET', `/api/products/${path}`, { signal }),
        ask('GET', '/api/inventory', { query: { product_id: id }, signal }),
      ])
      const [product, [stored]] = await whileLoading(about, request)
      fill(title, element('bdi', null, product.description))
      level.show(stored, product.unit_of_measure)
      const edit = () => changeProduct({ ...product, ...level.level() }, () => (changed(), void load()))
      fill(about, ...productFields(product, edit, () => remove(product)))
      level.node.hidden = historyCard.hidden = false
      await history.reload()
    } catch (error) {
      if (!signal.aborted) fail(error)
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    const isGone = error instanceof Refusal && (error.status === 404 || error.status === 400)
    const gone = element('p', { class: 'problem' }, text('refused.not_found'))
    fill(about, isGone ? gone : failure(error, () => void load()))
    level.node.hidden = historyCard.hidden = true
  }

  const back = element('a', { class: 'back', href: list() }, symbol('back'), text('view.products'))
  back.addEventListener('click', () => (back.href = list()))
  const heading = element('h2', null, text('product.history'))
  const historyCard = element('section', { class: 'card wide', hidden: true }, heading, chart, history.node)
  const top = element('div', { class: 'wide' }, back, title)
  const node = element('div', { class: 'product-view' }, top, level.node, about, historyCard)
  void load()
  return { node, close: () => ended.abort(), isTyped: level.isTyped, focus: () => title.focus({ preventScroll: true }) }
}
