/** A run of labels with new codes, which no product has yet: scanned later, each is claimed by a product. */

import { ask } from '../api.js'
import { wholeNumber } from '../formats.js'
import { text } from '../language.js'
import { Button, errorText, Field, html, useSignal } from '../ui.js'

/** Codes that the service makes at a time. */
const MOST = 500

/** `print` prints a label of each code. @param {{print: (codes: string[]) => Promise<void>}} props */
export function NewCodes({ print }) {
  const [typed, problem, isBusy] = [useSignal('10'), useSignal(''), useSignal(false)]
  const count = wholeNumber(typed.value) ?? 0
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault()
    problem.value = count < 1 || count > MOST ? text('labels.bounds', { least: 1, greatest: MOST }) : ''
    if (problem.value || isBusy.value) return
    isBusy.value = true
    try {
      await print(await ask('POST', '/api/codes/made', { body: { count } }))
    } catch (error) {
      problem.value = errorText(error)
    }
    isBusy.value = false
  }
  return html`
    <details class="card">
      <summary>${text('labels.new-codes')}</summary>
      <form class="stack" onsubmit=${submit} novalidate>
        <p class="soft">${text('labels.new-codes.why')}</p>
        <${Field} label=${text('labels.new-codes.count')} value=${typed} problem=${problem.value} type="text" inputmode="numeric" autocomplete="off" maxlength="3" />
        <div><${Button} type="submit" icon="print" disabled=${isBusy.value}>${text('labels.new-codes.print')}<//></div>
      </form>
    </details>`
}
