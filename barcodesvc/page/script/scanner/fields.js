/**
 * The fields that keys go to while it is not clear who types them, and what was in them before.
 *
 * Rule: each gets its former content back if the keys were a scan or a part of a code. A field with `data-takes-scans` (search,
 * codes) keeps a scan's text.
 */

/**
 * @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Field
 * @typedef {{value: string, start: number | null, end: number | null}} Content of a field, and what is selected in it
 */

/** Kinds of inputs that are pressed or dragged, not typed into. */
const NOT_TYPED = ['button', 'checkbox', 'color', 'file', 'image', 'radio', 'range', 'reset', 'submit']

export class TypedFields {
  /** The content of each field that had the focus during the first keys. @type {Map<Field, Content>} */
  #before = new Map()
  /** The content of each field for numbers before all the keys that belong together. @type {Map<Field, Content>} */
  #untyped = new Map()
  /** Text withheld from the field while it may be part of a scan. */
  withheld = ''
  /** Whether an input method has inserted some of the text. */
  isInserted = false

  /** Whether no field had the focus. */
  get isNone() {
    return this.#before.size === 0
  }

  /** The field for codes that had the focus. */
  get taking() {
    return [...this.#before.keys()].find(takesScans)
  }

  /** Whether the keys may be an amount: a field for numbers, or none, had the focus. */
  get isForAmount() {
    return [...this.#before.keys()].every(takesNumbers)
  }

  /** Whether a field for text, which takes no scans, had the focus. */
  get isForText() {
    return !this.isForAmount && !this.taking
  }

  /** Save the content of a field before the keys, unless it is saved. @param {Element | null} focused */
  save(focused) {
    if (isField(focused) && !this.#before.has(focused)) this.#before.set(focused, contentOf(focused))
  }

  /** Forget the fields and their content. */
  forget() {
    this.#before.clear()
    this.withheld = ''
    this.isInserted = false
  }

  /** Keep the content of the fields for as long as keys that belong to these may come. */
  keep() {
    for (const [field, content] of this.#before) if (!this.#untyped.has(field)) this.#untyped.set(field, content)
  }

  /** Forget the content that was kept: the next keys do not belong to those before. */
  separate() {
    this.#untyped.clear()
  }

  /** Give all fields the content from before the keys that belong together. */
  restoreAll() {
    for (const [field, content] of [...this.#before, ...this.#untyped]) restore(field, content)
    this.forget()
    this.separate()
  }

  /**
   * Give the field for codes a scan, and all others their former content; return whether there is one for codes.
   * @param {string} text
   */
  fill(text) {
    const target = this.taking
    const typed = target && this.#before.get(target)?.value
    for (const [field, content] of this.#before) if (field !== target) restore(field, content)
    this.forget()
    if (target) fillByScan(target, text, typed)
    return target !== undefined
  }

  /** Give the last field the text that was withheld from it: a person typed it. */
  release() {
    const field = [...this.#before.keys()].at(-1)
    if (field && this.withheld) insert(field, this.withheld)
    this.forget()
  }
}

/** @param {Element | null} focused @returns {focused is Field} */
export function isField(focused) {
  if (focused instanceof HTMLInputElement) return !NOT_TYPED.includes(focused.type)
  return focused instanceof HTMLTextAreaElement || focused instanceof HTMLSelectElement
}

/** @param {Field} field */
export function takesScans(field) {
  return field.dataset['takesScans'] !== undefined
}

/** @param {Field} field */
function takesNumbers(field) {
  return field instanceof HTMLInputElement && (field.inputMode === 'numeric' || field.type === 'number')
}

/** @param {Field} field @returns {Content} */
function contentOf(field) {
  if (field instanceof HTMLSelectElement) return { value: field.value, start: null, end: null }
  return { value: field.value, start: field.selectionStart, end: field.selectionEnd }
}

/** @param {Field} field @param {Content} content */
function restore(field, { value, start, end }) {
  if (field.value !== value) {
    field.value = value
    field.dispatchEvent(new Event('input', { bubbles: true }))
    if (field instanceof HTMLSelectElement) field.dispatchEvent(new Event('change', { bubbles: true }))
  }
  if (start !== null && !(field instanceof HTMLSelectElement)) field.setSelectionRange(start, end)
}

/**
 * Give a field the text that a person typed: with the browser's own command, which can be undone, while the caret is there.
 * @param {Field} field @param {string} text
 */
function insert(field, text) {
  if (field instanceof HTMLSelectElement) return
  if (field === document.activeElement) return void document.execCommand('insertText', false, text)
  if (field.selectionStart === null) field.value += text
  else field.setRangeText(text)
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Make a field that takes scans contain only the scan: its former text was the previous code.
 * @param {Field} field @param {string} text @param {string} [typed] what the field held before
 */
export function fillByScan(field, text, typed = '') {
  field.value = text
  field.dispatchEvent(new Event('input', { bubbles: true }))
  const scan = new CustomEvent('scan', { bubbles: true, detail: text })
  field.dispatchEvent(Object.assign(scan, { typed }))
}
