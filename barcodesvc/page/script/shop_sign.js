/** The shop's name and logo, on the status line, on printed lists and in the kiosk; until it has them, those of the web app. */

import { settings } from './settings.js'
import { html, useEffect, useMemo } from './ui.js'

/** The name that is shown where the shop has given none. */
export const OURS = 'barcodesvc'

/** @param {{children?: import('./types.js').Children}} props */
export function ShopSign({ children }) {
  return html`<span class="shop-sign"><${Logo} /><bdi>${settings.shopName.value || OURS}</bdi>${children}</span>`
}

/** The policy of the page allows pictures of this address, and not from data URLs. */
function Logo() {
  const logo = settings.logo.value
  const address = useMemo(() => addressOf(logo), [logo])
  useEffect(() => () => URL.revokeObjectURL(address), [address])
  if (address) return html`<img src=${address} alt="" />`
  return html`<svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" /><path d="M7 23V13h2v10zM11 23V8h4v15zM17 23v-8h2v8zM21 23V6h4v17zM6 25h20v1.5H6z" />
  </svg>`
}

/** Return the address of a picture for this page; empty if there is none, or if it is damaged. @param {string} logo */
function addressOf(logo) {
  try {
    const [, type = '', content = ''] = /^data:(image\/\w+);base64,(.+)$/.exec(logo) ?? []
    const bytes = Uint8Array.from(atob(content), (byte) => byte.charCodeAt(0))
    return content && URL.createObjectURL(new Blob([bytes], { type }))
  } catch {
    return ''
  }
}

/** Most characters of a logo as a data URL. */
const MOST = 64_000

/** Pixels of its longer side; half as many, if it is still too large. */
const SIDE = 256

/**
 * Return an image file as a small logo for the settings; empty if it cannot be read.
 *
 * @param {Blob} file
 */
export async function logoOf(file) {
  const picture = await createImageBitmap(file).catch(() => null)
  if (!picture) return ''
  for (let side = SIDE; side >= SIDE / 8; side /= 2) {
    const scale = Math.min(1, side / Math.max(picture.width, picture.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(picture.width * scale))
    canvas.height = Math.max(1, Math.round(picture.height * scale))
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const logo = canvas.toDataURL('image/png')
    if (logo.length <= MOST) return logo
  }
  return ''
}
