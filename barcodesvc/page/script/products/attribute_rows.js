/** The attributes in the form of a product: a row for each, with its name and its text. */

import { attributeChanges, wrongRow } from './attributes.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { LIMITS } from '../limits.js'
import { symbol } from '../symbols.js'

export class AttributeRows {
  /** @type {{node: HTMLElement, name: HTMLInputElement, value: HTMLInputElement}[]} */
  #rows = []
  #list = element('div', { class: 'attribute-rows' })
  #add
  #known

  /** @param {Record<string, string>} known the stored attributes */
  constructor(known) {
    this.#known = known
    const add = () => this.#append('', '').name.focus()
    const button = { type: 'button', class: 'plain', onclick: add }
    this.#add = element('button', button, symbol('add'), text('attribute.add'))
    for (const [name, value] of Object.entries(known)) this.#append(name, value)
    this.node = element(
      'fieldset',
      null,
      element('legend', null, text('attribute.all')),
      this.#list,
      element('p', { class: 'row' }, this.#add),
    )
  }

  /** What is typed, as changes of the stored attributes. */
  changes() {
    return attributeChanges(this.#known, this.#typed())
  }

  /** Mark the first row that cannot be stored, and return what is wrong with it, or an empty text. */
  problem() {
    const wrong = wrongRow(this.#typed())
    for (const [index, { name }] of this.#rows.entries())
      name.setAttribute('aria-invalid', String(wrong?.index === index))
    if (!wrong) return ''
    this.#rows[wrong.index]?.name.focus()
    return text(`attribute.wrong.${wrong.problem}`)
  }

  #typed() {
    return this.#rows.map(({ name, value }) => ({ name: name.value, value: value.value }))
  }

  /**
   * @param {string} name
   * @param {string} value
   */
  #append(name, value) {
    const row = rowOf(name, value, () => this.#remove(row))
    this.#rows.push(row)
    this.#list.append(row.node)
    this.#limit()
    return row
  }

  /** @param {{node: HTMLElement}} row which gives its focus to the next one */
  #remove(row) {
    const index = this.#rows.findIndex(({ node }) => node === row.node)
    this.#rows.splice(index, 1)
    row.node.remove()
    this.#limit()
    ;(this.#rows[Math.min(index, this.#rows.length - 1)]?.name ?? this.#add).focus()
  }

  #limit() {
    this.#add.hidden = this.#rows.length >= LIMITS.attributes.most
  }
}

/**
 * @param {string} name
 * @param {string} value
 * @param {() => void} remove
 */
function rowOf(name, value, remove) {
  const shared = { type: 'text', autocomplete: 'off' }
  const says = text('attribute.name')
  const field = { ...shared, 'aria-label': says, placeholder: says, maxlength: 100, value: name, oninput: label }
  const names = element('input', field)
  const values = element('input', {
    ...shared,
    placeholder: text('attribute.value'),
    maxlength: LIMITS.attributes.value,
    value,
  })
  const button = element('button', { type: 'button', onclick: remove }, symbol('bad'))

  function label() {
    values.setAttribute('aria-label', text('attribute.value.of', { name: names.value }))
    button.setAttribute('aria-label', text('attribute.remove', { name: names.value }))
  }

  label()
  return { node: element('div', { class: 'attribute' }, names, values, button), name: names, value: values }
}
