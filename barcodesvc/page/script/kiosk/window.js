/** Keeps the kiosk in front of people: it fills the screen and stays at its address. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** The button, key or gesture for "back" stays here. @param {AbortSignal} signal */
export function stay(signal) {
  const again = () => history.pushState(null, '', location.href)
  again()
  window.addEventListener('popstate', again, { signal })
}

/**
 * Return a button that fills the screen with the page. It is hidden where the browser cannot, and while it does.
 *
 * @param {AbortSignal} signal
 */
export function fullScreenButton(signal) {
  const fill = () => void document.documentElement.requestFullscreen().catch(() => undefined)
  const button = element('button', { type: 'button', class: 'full-screen', onclick: fill }, text('kiosk.full-screen'))
  const show = () => void (button.hidden = !document.fullscreenEnabled || document.fullscreenElement !== null)
  document.addEventListener('fullscreenchange', show, { signal })
  show()
  return button
}
