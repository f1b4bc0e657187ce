/**
 * While a dialog is open, no scan reaches the view behind it: the dialog's field for codes gets it, or it is rejected. Only
 * the dialog for the key passes scans on to be kept. A dialog closes with the view that it belongs to; one with `data-stays`
 * belongs to all views, or is closed by its view.
 */

import { element } from './dom.js'
import { text } from './language.js'
import { fillByScan } from './scanner/fields.js'
import { bad } from './sounds.js'

/** Return the dialog in front of the view, or undefined. */
export function openDialog() {
  return [...document.querySelectorAll('dialog[open]')].at(-1)
}

/** Close the dialogs of the view that is left. */
export function closeDialogs() {
  /** @type {NodeListOf<HTMLDialogElement>} */
  const open = document.querySelectorAll('dialog[open]:not([data-stays])')
  for (const dialog of open) dialog.close()
}

/**
 * Pass a scan to the open dialog; return whether there is one. Without a field for codes and a listener to `scan`, it
 * rejects with the error sound.
 *
 * @param {string} code
 * @param {() => boolean} keep stores the booking of the scan, to be sent later; returns whether it did
 */
export function takenByDialog(code, keep) {
  const dialog = openDialog()
  if (!dialog) return false
  /** @type {HTMLInputElement | null} */
  const field = dialog.querySelector('input[data-takes-scans]')
  if (field) fillByScan(field, code)
  else if (dialog.dispatchEvent(new CustomEvent('scan', { cancelable: true, detail: { code, keep } })))
    reject(dialog, code)
  return true
}

/**
 * @param {Element} dialog
 * @param {string} code
 */
function reject(dialog, code) {
  bad()
  const says = dialog.querySelector('.rejected') ?? element('p', { class: 'problem rejected', role: 'status' })
  const buttons = dialog.querySelector('form > .row:last-child')
  if (buttons) buttons.before(says)
  else dialog.append(says)
  says.textContent = text('scan.rejected', { code })
}
