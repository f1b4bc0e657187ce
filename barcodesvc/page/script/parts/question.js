/** A question before an action that cannot be undone. */

import { element } from '../dom.js'
import { text } from '../language.js'

/**
 * Ask, and return whether the answer was yes.
 *
 * @param {string} question
 * @param {string} consequence
 * @param {string} yes the text of the button that confirms
 * @returns {Promise<boolean>}
 */
export function isWanted(question, consequence, yes) {
  return new Promise((resolve) => {
    const dialog = element(
      'dialog',
      {
        role: 'alertdialog',
        'aria-label': question,
        onclose: () => {
          dialog.remove()
          resolve(dialog.returnValue === 'yes')
        },
      },
      element(
        'form',
        { method: 'dialog' },
        element('h2', null, element('bdi', null, question)),
        element('p', null, consequence),
        element(
          'div',
          { class: 'row' },
          element('button', { value: 'no', autofocus: true }, text('cancel')),
          element('button', { class: 'danger', value: 'yes' }, yes),
        ),
      ),
    )
    document.body.append(dialog)
    dialog.showModal()
  })
}
