/** The choice of a saved layout, and what saves it under its name, under another one, or deletes it. */

import { ask } from '../api.js'
import { element, fill } from '../dom.js'
import { isSame } from './layout.js'
import { text } from '../language.js'
import { announce } from '../notices.js'
import { whyNotPrinted } from './printing.js'
import { change, settings } from '../settings.js'
import { askLayoutName, confirmDelete } from './layout_dialogs.js'

/** @typedef {import('./layout.js').Layout} Layout */
/** @typedef {import('./layout.js').SavedLayout} SavedLayout */

/** The value of the choice for a layout without a name; no name is empty. */
const NO_NAME = ''

export class LayoutChoice {
  #known
  #chosen
  #wanted
  #select = element('select', { onchange: () => this.#choose(this.#select.value) })
  #save = element('button', { type: 'button', onclick: () => void this.#change() }, text('save'))
  #delete = element('button', { type: 'button', onclick: () => this.#askDelete() }, text('product.delete'))
  #problem = element('p', { class: 'problem', role: 'alert' })

  /**
   * @param {SavedLayout[]} known
   * @param {(layout: Layout | null) => void} chosen called with the layout that a person chooses, null for a new one
   * @param {() => Layout | null} wanted returns the layout as the page has it, null while a field is wrong
   */
  constructor(known, chosen, wanted) {
    this.#known = known
    this.#chosen = chosen
    this.#wanted = wanted
    const saveAs = element('button', { type: 'button', onclick: () => this.#askName() }, text('layout.save-as'))
    this.node = element(
      'div',
      { class: 'layout-choice' },
      element('label', null, text('layout'), this.#select),
      element('div', { class: 'row' }, this.#save, saveAs, this.#delete),
      this.#problem,
    )
    this.#offer(settings().layout)
  }

  /** Return the chosen layout as it is saved, or null for a new one. */
  saved() {
    return this.#known.find(({ name }) => name === this.#select.value)?.layout ?? null
  }

  /** Show whether there is something to save. */
  show() {
    const [saved, wanted] = [this.saved(), this.#wanted()]
    this.#save.hidden = this.#delete.hidden = saved === null
    this.#save.disabled = !wanted || !saved || isSame(wanted, saved)
  }

  /**
   * Offer the layouts that are known.
   *
   * @param {string} name of the chosen one; a new one if it is not known
   */
  #offer(name) {
    const names = this.#known.map((each) => each.name).sort((one, other) => one.localeCompare(other))
    const options = names.map((value) => element('option', { value }, value))
    fill(this.#select, element('option', { value: NO_NAME }, text('layout.new')), ...options)
    this.#select.value = names.includes(name) ? name : NO_NAME
  }

  /** @param {string} name */
  #choose(name) {
    change({ layout: name })
    this.#problem.textContent = ''
    this.#chosen(this.saved())
  }

  async #change() {
    this.#problem.textContent = await this.#put(this.#select.value)
  }

  #askName() {
    const isTaken = (/** @type {string} */ name) => this.#known.some((each) => each.name === name)
    askLayoutName(
      (name) => (isTaken(name) ? text('layout.name.taken', { name }) : ''),
      (name) => this.#put(name),
    )
  }

  /**
   * Save the layout of the page.
   *
   * @param {string} name
   * @returns {Promise<string>} why it is not saved
   */
  #put(name) {
    return attempted(async () => {
      const saved = await ask('PUT', addressOf(name), { body: this.#wanted() ?? {} })
      this.#known = [...this.#known.filter((each) => each.name !== name), saved]
      this.#offer(name)
      this.#choose(name)
      announce(text('layout.saved', { name }))
    })
  }

  #askDelete() {
    const name = this.#select.value
    confirmDelete(name, () =>
      attempted(async () => {
        await ask('DELETE', addressOf(name))
        this.#known = this.#known.filter((each) => each.name !== name)
        this.#offer(NO_NAME)
        this.#choose(NO_NAME)
      }),
    )
  }
}

/** @param {string} name */
function addressOf(name) {
  return `/api/codes/layouts/${encodeURIComponent(name)}`
}

/**
 * @param {() => Promise<void>} act
 * @returns {Promise<string>} why it failed, or an empty text
 */
function attempted(act) {
  return act().then(
    () => '',
    (error) => whyNotPrinted(error, ''),
  )
}
