/** Says that a scan was not heard, and offers the setting for slow scanners, until the next scan. */

import { openDialog } from '../dialogs.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { notice } from '../notices.js'
import { change, settings } from '../settings.js'
import { bad } from '../sounds.js'

/** What is said of the last scan. @type {HTMLElement | null} */
let said = null

/**
 * Sound the error and say what to do, unless the open dialog does.
 *
 * @param {import('./hearing.js').Trouble} trouble
 */
export function sayTrouble(trouble) {
  if (openDialog()?.dispatchEvent(new CustomEvent('trouble', { cancelable: true })) === false) return
  bad()
  endTrouble()
  const { slowScanner } = settings()
  const says = [text(`scan.trouble.${trouble}`), !slowScanner && text('scan.trouble.slow')]
  said = notice(says.filter(Boolean).join(' '), 'bad')
  if (!slowScanner) said.querySelector('span')?.after(turnOn())
}

/** Remove what was said: another scan is heard, or the setting is on. */
export function endTrouble() {
  said?.remove()
  said = null
}

/** Return the button that turns the setting for slow scanners on. */
function turnOn() {
  const press = () => {
    change({ slowScanner: true })
    endTrouble()
  }
  return element('button', { type: 'button', onclick: press }, text('scan.trouble.turn-on'))
}
