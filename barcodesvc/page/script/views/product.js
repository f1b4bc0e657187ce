/** One product: its fields, its level and how to set it, its history with a chart. */

import { ask, Refusal } from '../api.js'
import { element, fill } from '../dom.js'
import { moment, number } from '../formats.js'
import { wholeNumber } from '../typed_values.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { openScanned } from '../open_scanned.js'
import { authorGiven } from '../parts/author_question.js'
import { changeList } from '../parts/change_list.js'
import { failure, reasonOf } from '../parts/failure.js'
import { levelChart } from '../parts/level_chart.js'
import { lowMark } from '../parts/product_cells.js'
import { changeProduct } from '../parts/product_form.js'
import { isWanted } from '../parts/question.js'
import { symbol } from '../symbols.js'

/** @typedef {{id: number, product_code: string, description: string, category: string, unit_of_measure: string, created_at: string, updated_at: string}} Product */
/** @typedef {{current_level: number, minimum_level: number, maximum_level: number}} Level */

/**
 * @param {string} id as the address has it
 * @param {string} list the address of the list that was shown last
 * @returns {import('../router.js').View}
 */
export function open(id, list) {
  const ended = new AbortController()
  const { signal } = ended
  const path = encodeURIComponent(id)
  const title = element('h1', null, text('view.products'))
  const about = element('section', { class: 'card', 'aria-label': text('product') })
  const stand = element('section', { class: 'card product-level', 'aria-label': text('level'), hidden: true })
  const chart = element('div')
  /** @type {Product | null} */
  let product = null
  /** @type {Level | null} */
  let level = null

  const history = changeList({
    load: async (place) => {
      const found = await ask('GET', `/api/inventory/${path}/history`, { query: place, signal })
      setTimeout(drawChart)
      return found
    },
    none: text('product.history.none'),
    seen: ({ new_level }, isNew) => {
      if (!isNew) return
      if (level) setLevel({ ...level, current_level: new_level })
      drawChart()
    },
    signal,
  })

  async function load() {
    try {
      const [found, [stored]] = await Promise.all([
        ask('GET', `/api/products/${path}`, { signal }),
        ask('GET', '/api/inventory', { query: { product_id: id }, signal }),
      ])
      product = found
      showProduct(found)
      setLevel(stored)
      stand.hidden = historyCard.hidden = false
      await history.reload()
    } catch (error) {
      if (signal.aborted) return
      const gone = error instanceof Refusal && (error.status === 404 || error.status === 400)
      fill(
        about,
        gone ? element('p', { class: 'problem' }, text('refused.not_found')) : failure(error, () => void load()),
      )
      stand.hidden = historyCard.hidden = true
    }
  }

  /** @param {Product} found */
  function showProduct(found) {
    fill(title, element('bdi', null, found.description))
    const fields = /** @type {[string, string | Node][]} */ ([
      ['product.product_code', element('bdi', { class: 'code' }, found.product_code)],
      ['product.category', element('bdi', null, found.category || '–')],
      ['product.unit_of_measure', element('bdi', null, found.unit_of_measure)],
      ['product.created', moment(found.created_at)],
      ['product.updated', moment(found.updated_at)],
    ])
    fill(
      about,
      element(
        'dl',
        { class: 'fields' },
        ...fields.map(([key, value]) =>
          element('div', null, element('dt', null, text(key)), element('dd', null, value)),
        ),
      ),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', onclick: change }, text('product.change')),
        element(
          'button',
          { type: 'button', class: 'danger', onclick: () => void remove(found) },
          text('product.delete'),
        ),
      ),
    )
  }

  function change() {
    changeProduct({ ...product, ...level }, () => void load())
  }

  /** @param {Product} found */
  async function remove(found) {
    const question = text('product.delete.question', { product: found.description })
    if (!(await isWanted(question, text('product.delete.consequence'), text('product.delete')))) return
    try {
      await ask('DELETE', `/api/products/${path}`)
      announce(text('product.deleted', { product: found.description }))
      location.hash = list
    } catch (error) {
      announce(reasonOf(error), 'bad')
    }
  }

  /** @param {Level} stored */
  function setLevel(stored) {
    level = stored
    const { current_level, minimum_level, maximum_level } = stored
    fill(
      stand,
      element('h2', null, text('level')),
      element(
        'p',
        { class: 'figure', role: 'status' },
        element('strong', null, number(current_level)),
        ' ',
        element('bdi', { class: 'soft' }, product?.unit_of_measure ?? ''),
      ),
      lowMark(current_level, minimum_level),
      element(
        'dl',
        { class: 'fields' },
        element(
          'div',
          null,
          element('dt', null, text('product.minimum_level')),
          element('dd', null, number(minimum_level)),
        ),
        element(
          'div',
          null,
          element('dt', null, text('product.maximum_level')),
          element('dd', null, maximum_level ? number(maximum_level) : '–'),
        ),
      ),
      levelForm(current_level),
    )
  }

  /** @param {number} expected the level on the screen */
  function levelForm(expected) {
    const problem = element('p', { class: 'problem', role: 'alert' })
    const field = element('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', maxlength: 20 })
    const reason = element('input', { type: 'text', autocomplete: 'off', maxlength: 200 })
    const button = element('button', { class: 'main' }, text('mode.set'))
    const submit = async (/** @type {Event} */ event) => {
      event.preventDefault()
      const counted = wholeNumber(field.value)
      if (counted === null) {
        problem.textContent = text('whole-number')
        return field.focus()
      }
      button.disabled = true
      problem.textContent = await book(counted, expected, reason.value.trim())
      button.disabled = false
    }
    return element(
      'form',
      { class: 'level-form', onsubmit: (/** @type {Event} */ event) => void submit(event) },
      element('label', null, text('product.set-level'), field),
      element('label', null, text('product.reason'), reason),
      button,
      problem,
    )
  }

  /**
   * Set the level, unless it has changed since it was shown; return what went wrong.
   *
   * @param {number} counted
   * @param {number} expected
   * @param {string} reason
   */
  async function book(counted, expected, reason) {
    const author = await authorGiven()
    const body = {
      new_level: counted,
      expected_level: expected,
      change_reason: reason,
      updated_by: author,
    }
    try {
      await ask('PUT', `/api/inventory/${path}`, { body })
    } catch (error) {
      const differs = error instanceof Refusal && error.details.reason === 'expected_level_differs'
      if (!differs || !level) return reasonOf(error)
      setLevel({ ...level, current_level: error.details.current_level })
      announce(reasonOf(error), 'bad')
      await history.reload()
      return ''
    }
    if (level) setLevel({ ...level, current_level: counted })
    announce(text('product.level-set', { level: counted }))
    await history.reload()
    return ''
  }

  function drawChart() {
    const changes = history.changes()
    fill(chart, changes.length > 1 && levelChart(changes, level?.minimum_level ?? 0, new Date()))
  }

  const historyCard = element(
    'section',
    { class: 'card wide', hidden: true },
    element('h2', null, text('product.history')),
    chart,
    history.node,
  )
  const node = element(
    'div',
    { class: 'view two product-view' },
    element(
      'div',
      { class: 'wide' },
      element('a', { class: 'back', href: list }, symbol('back'), text('view.products')),
      title,
    ),
    about,
    stand,
    historyCard,
  )
  void load()
  const isTyped = () => [...stand.querySelectorAll('input')].some(({ value }) => value.trim() !== '')
  return {
    node,
    title: text('view.products'),
    scan: (code) => void openScanned(code, isTyped(), signal),
    close: () => ended.abort(),
  }
}
