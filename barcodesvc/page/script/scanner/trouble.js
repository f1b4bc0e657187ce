/** Says that a scan was not heard, and offers the setting for slow scanners, until the next scan. */

import { openDialog } from '../dialogs.js'
import { element } from '../dom.js'
import { text } from '../language.js'
import { notice, notices } from '../notices.js'
import { settings } from '../settings.js'
import { bad } from '../sounds.js'

/** Sound the error and say what to do, unless the open dialog does. @param {import('../types.js').Trouble} trouble */
export function sayTrouble(trouble) {
  if (openDialog()?.dispatchEvent(new CustomEvent('trouble', { cancelable: true })) === false) return
  bad()
  endTrouble()
  const says = text(`scan.trouble.${trouble}`)
  if (settings.slowScanner.value) return notice(says, 'bad').classList.add('unheard')
  const said = notice(`${says} ${text('scan.trouble.slow')}`, 'bad')
  said.classList.add('unheard')
  const turnOn = () => ((settings.slowScanner.value = true), endTrouble())
  said
    .querySelector('span')
    ?.after(element('button', { type: 'button', onclick: turnOn }, text('scan.trouble.turn-on')))
}

/** Remove what was said: another scan is heard, or the setting is on. */
export function endTrouble() {
  notices().querySelector('.unheard')?.remove()
}
