/**
 * Shown instead of something that could not be loaded: why, and a button that tries again. When the network is back, it
 * tries again automatically.
 */

import { Refusal, Unreachable } from './api.js'
import { element } from './dom.js'
import { text } from './language.js'
import { refusalText, whyUnreachable } from './reasons.js'

/**
 * @param {unknown} error
 * @param {() => void} again
 */
export function failure(error, again) {
  const node = element(
    'div',
    { class: 'failure', role: 'alert' },
    element('p', { class: 'problem' }, errorText(error)),
    element('button', { type: 'button', onclick: again }, text('again')),
  )
  window.addEventListener('online', () => node.isConnected && again(), { once: true })
  return node
}

/**
 * Return an error as a sentence for a person.
 *
 * @param {unknown} error
 */
export function errorText(error) {
  if (error instanceof Unreachable) return whyUnreachable(error, text('unreachable'))
  if (!(error instanceof Refusal)) return text('failed')
  return refusalText(error)
}
