/** How to open the page on a phone: its address as a QR code, or what prevents phones from reaching it. */

import { element } from '../dom.js'
import { text } from '../language.js'

/** Hosts that only this computer reaches. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Open the dialog. */
export function openOnPhone() {
  const dialog = element(
    'dialog',
    { 'aria-labelledby': 'phone-title', onclose: () => dialog.remove() },
    element(
      'form',
      { method: 'dialog', class: 'phone' },
      element('h2', { id: 'phone-title' }, text('phone.title')),
      ...(LOOPBACK.test(location.hostname) ? notReachable() : reachable()),
      element('div', { class: 'row' }, element('button', { class: 'main', autofocus: true }, text('close'))),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
}

function notReachable() {
  return [
    element('p', null, text('phone.loopback', { host: location.host })),
    element('pre', { class: 'code' }, 'BARCODESVC_HOST=0.0.0.0\nBARCODESVC_API_KEY=…'),
    element('p', null, text('phone.loopback.then')),
  ]
}

function reachable() {
  const source = `/api/codes/qrcode/${encodeURIComponent(location.origin)}.svg`
  return [
    element('p', null, text('phone.scan')),
    element('img', { class: 'phone-code', src: source, alt: text('phone.code', { address: location.origin }) }),
    element('p', { class: 'code' }, element('bdi', null, location.origin)),
    !window.isSecureContext && element('p', null, text('phone.plain')),
    !window.isSecureContext && element('pre', { class: 'code' }, 'BARCODESVC_TLS_CERT=…\nBARCODESVC_TLS_KEY=…'),
  ]
}
