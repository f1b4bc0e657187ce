/** Says that a scan was not heard, and offers the setting for slow scanners, until the next scan. */

import { notice, openDialog } from '../in_front.js'
import { text } from '../language.js'
import { settings } from '../settings.js'
import { bad } from '../sounds.js'

/** What is said of a scan that was not heard. @type {{remove: () => void} | null} */
let said = null

/** Sound the error and say what to do, unless the open dialog does. @param {import('../types.js').Trouble} trouble */
export function sayTrouble(trouble) {
  if (openDialog()?.dispatchEvent(new CustomEvent('trouble', { cancelable: true })) === false) return
  bad()
  endTrouble()
  const says = text(`scan.trouble.${trouble}`)
  const turnOn = () => ((settings.slowScanner.value = true), endTrouble())
  said = settings.slowScanner.value
    ? notice(says, 'bad')
    : notice(`${says} ${text('scan.trouble.slow')}`, 'bad', { name: text('scan.trouble.turn-on'), press: turnOn })
}

/** Remove what was said: another scan is heard, or the setting is on. */
export function endTrouble() {
  said?.remove()
}
