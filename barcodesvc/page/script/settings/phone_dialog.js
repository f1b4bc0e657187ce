/**
 * How to open the page on a phone: its address as a QR code, or how to get one that phones can open.
 *
 * Rule: it claims only what the page knows, which is the address that it was opened at.
 */

import { text } from '../language.js'
import { Button, html } from '../ui.js'
import { Dialog, showDialog } from '../in_front.js'

/** Hosts that name, on each device, the device itself. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Open the dialog. */
export function openOnPhone() {
  showDialog(
    (close) => html`
      <${Dialog} title=${text('phone.title')} closed=${close}>
        <div class="stack">
          ${LOOPBACK.test(location.hostname) ? html`<${AnotherAddress} />` : html`<${ThisAddress} />`}
          <div class="row"><${Button} kind="main" autofocus onclick=${close}>${text('close')}<//></div>
        </div>
      <//>`,
  )
}

function AnotherAddress() {
  return html`
    <p>${text('phone.loopback', { host: location.host })}</p>
    <p>${text('phone.loopback.then')}</p>
    <pre class="code">${'BARCODESVC_HOST=0.0.0.0\nBARCODESVC_API_KEY=…'}</pre>`
}

function ThisAddress() {
  const { origin } = location
  return html`
    <p>${text('phone.scan')}</p>
    <img class="phone-code" src=${`/api/codes/qrcode/${encodeURIComponent(origin)}.svg`} alt=${text('phone.code', { address: origin })} />
    <p class="code"><bdi>${origin}</bdi></p>
    ${
      !window.isSecureContext &&
      html`
      <p>${text('phone.plain')}</p>
      <pre class="code">${'BARCODESVC_TLS_CERT=…\nBARCODESVC_TLS_KEY=…'}</pre>`
    }`
}
