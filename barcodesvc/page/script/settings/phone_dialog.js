/**
 * How to open the page on a phone: its address as a QR code, or how to get one that phones can open.
 *
 * Rule: it claims only what the page knows, which is the address that it was opened at.
 */

import { element } from '../dom.js'
import { text } from '../language.js'

/** Hosts that name, on each device, the device itself. */
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
      ...(LOOPBACK.test(location.hostname) ? anotherAddress() : thisAddress()),
      element('div', { class: 'row' }, element('button', { class: 'main', autofocus: true }, text('close'))),
    ),
  )
  document.body.append(dialog)
  dialog.showModal()
}

function anotherAddress() {
  return [
    element('p', null, text('phone.loopback', { host: location.host })),
    element('p', null, text('phone.loopback.then')),
    element('pre', { class: 'code' }, 'BARCODESVC_HOST=0.0.0.0\nBARCODESVC_API_KEY=…'),
  ]
}

function thisAddress() {
  const source = `/api/codes/qrcode/${encodeURIComponent(location.origin)}.svg`
  return [
    element('p', null, text('phone.scan')),
    element('img', { class: 'phone-code', src: source, alt: text('phone.code', { address: location.origin }) }),
    element('p', { class: 'code' }, element('bdi', null, location.origin)),
    !window.isSecureContext && element('p', null, text('phone.plain')),
    !window.isSecureContext && element('pre', { class: 'code' }, 'BARCODESVC_TLS_CERT=…\nBARCODESVC_TLS_KEY=…'),
  ]
}
