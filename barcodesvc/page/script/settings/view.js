/** The settings of this device, as cards. Each is stored at once: a choice when it is made, a text when its field is left. */

import { ask, LIMITS, Refusal, SESSION } from '../api.js'
import { extent, forgetCatalogue } from '../catalogue/copy.js'
import { moment } from '../formats.js'
import { forgetOrders } from '../labels/orders.js'
import { LANGUAGES, text } from '../language.js'
import { worksOffline } from '../workers.js'
import { scanOpener } from '../open_scanned.js'
import { testScanner } from '../scanner/scanner_test.js'
import { settings } from '../settings.js'
import { bad, good, unchecked } from '../sounds.js'
import { Button, Check, errorText, Field, FileButton, html } from '../ui.js'
import { Select, ShopSign, useRequest, useSignal, viewOf } from '../ui.js'
import { openOnPhone } from './phone_dialog.js'

/** Most characters of the reasons together, and of the shop's name. */
const MOST_REASONS = 500
const MOST_NAME = 60

/** Most characters of a logo as a data URL. */
const MOST_OF_LOGO = 64_000

/** Pixels of its longer side; half as many, if it is still too large. */
const SIDE = 256

/** Of the scripts of other projects. */
const LICENCES = new URL('../../library/LICENSES.txt', import.meta.url).href

const PICTURES = 'image/png,image/jpeg,image/webp'

/** @typedef {import('../types.js').Children} Children */

/** @returns {import('../router.js').View} */
export function open() {
  const ended = new AbortController()
  const close = () => {
    ended.abort()
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur() // stores what is typed
  }
  return viewOf(html`<${SettingsView} />`, {
    title: text('view.settings'),
    scan: scanOpener(ended.signal),
    close,
  })
}

function SettingsView() {
  return html`
    <div class="view in-columns">
      <h1>${text('view.settings')}</h1>
      <${Card} title="settings.person">
        <${Kept} of="author" label="settings.author" hint="author.why" maxlength=${LIMITS.author} autocomplete="name" />
        <${Select} label=${text('settings.language')} value=${settings.language} options=${languages()} />
      <//>
      <${Card} title="settings.scanner">
        <${Check} label=${text('settings.sounds')} value=${settings.sounds} />
        <div class="row">
          <${Button} onclick=${good}>${text('settings.sound.good')}<//>
          <${Button} onclick=${bad}>${text('settings.sound.bad')}<//>
          <${Button} onclick=${unchecked}>${text('settings.sound.unchecked')}<//>
        </div>
        <div>
          <${Check} label=${text('settings.slow')} value=${settings.slowScanner} />
          <p class="soft">${text('settings.slow.why')}</p>
        </div>
        <div><${Button} icon="scan" onclick=${testScanner}>${text('settings.test')}<//></div>
      <//>
      <${Card} title="settings.reasons">
        <${Kept} of="reasons" label="settings.reasons.field" hint="settings.reasons.why" maxlength=${MOST_REASONS}
          placeholder=${text('settings.reasons.example')} />
      <//>
      <${ShopCard} />
      <${Card} title="settings.devices">
        <div class="row">
          <${Button} icon="phone" onclick=${openOnPhone}>${text('phone.title')}<//>
          <a class="button" href="#kiosk" target="_blank" rel="noopener">${text('labels.kiosk')}</a>
        </div>
        <p class="soft">${text('settings.kiosk.why')}</p>
        <${Access} />
      <//>
      <${Card} title="status.offline"><${Offline} /><//>
      <${Card} title="settings.about">
        <p>${document.querySelector('meta[name=generator]')?.getAttribute('content')}</p>
        <p>${text('settings.licence')}</p>
        <p><a href="/source">${text('settings.source')}</a></p>
        <p><a href="/api/docs">${text('settings.api')}</a></p>
        <p><a href=${LICENCES}>${text('settings.library')}</a></p>
      <//>
    </div>`
}

/** @param {{title: string, children: Children}} props */
function Card({ title, children }) {
  return html`<section class="card"><h2>${text(title)}</h2>${children}</section>`
}

/**
 * The field of a setting that is a text. It is stored when a person leaves the field or presses Enter: half a name must not
 * be on a stock change.
 *
 * @param {{of: 'author' | 'reasons' | 'shopName', label: string, hint: string, maxlength: number} & Record<string, unknown>} props
 */
function Kept({ of, label, hint, ...more }) {
  const setting = settings[of]
  const keep = (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
    void (setting.value = currentTarget.value = currentTarget.value.trim())
  return html`<${Field} label=${text(label)} hint=${text(hint)} value=${setting.value} onchange=${keep} ...${more} />`
}

function ShopCard() {
  const problem = useSignal('')
  const take = async (/** @type {File} */ file) => {
    const logo = await logoOf(file)
    if (logo) settings.logo.value = logo
    problem.value = logo ? '' : text('settings.logo.wrong')
  }
  return html`
    <${Card} title="settings.shop">
      <${Kept} of="shopName" label="settings.shop.name" hint="settings.shop.why" maxlength=${MOST_NAME} autocomplete="organization" />
      <div class="row">
        ${settings.logo.value && html`<${ShopSign} />`}
        <${FileButton} accept=${PICTURES} icon="photo" take=${(/** @type {File} */ file) => void take(file)}>${text('settings.logo')}<//>
        ${settings.logo.value && html`<${Button} kind="text" onclick=${() => void (settings.logo.value = '')}>${text('settings.logo.remove')}<//>`}
      </div>
      <p class="problem" role="alert">${problem}</p>
    <//>`
}

/** The way out, which only a service with a key has. */
function Access() {
  const problem = useSignal('')
  const { data: needsKey } = useRequest(asksForKey, [])
  if (!needsKey) return null
  const leave = async () => {
    try {
      await ask('DELETE', SESSION, { isQuiet: true })
      await forgetCatalogue()
      forgetOrders()
      location.reload()
    } catch (error) {
      problem.value = errorText(error)
    }
  }
  return html`
    <div><${Button} onclick=${() => void leave()}>${text('settings.log-out')}<//></div>
    <p class="soft">${text('settings.log-out.why')}</p>
    <p class="problem" role="alert">${problem}</p>`
}

/** Return whether the service refuses requests without a session. @param {AbortSignal} signal */
function asksForKey(signal) {
  return ask('GET', '/api/products', { query: { limit: 1 }, signal, isQuiet: true, credentials: 'omit' }).then(
    () => false,
    (error) => error instanceof Refusal && error.status === 401,
  )
}

function Offline() {
  const { data: opens } = useRequest(whetherItOpens, [])
  const { data: remembers } = useRequest(whatItRemembers, [])
  return html`<p>${opens}</p><p>${remembers}</p>`
}

/** Say whether the web app opens without the network, and if not, why. */
async function whetherItOpens() {
  const why = window.isSecureContext ? 'offline.refused' : 'offline.plain'
  return text((await worksOffline()) ? 'offline.installed' : why)
}

/** Say how many products this device remembers, and as of when. */
async function whatItRemembers() {
  const known = await extent()
  if (!known) return text('settings.catalogue.none')
  return text('settings.catalogue', { remembered: known.count, count: known.total, time: moment(known.asOf) })
}

/** Return the languages of the web app, each named in itself. @returns {[string, string][]} */
function languages() {
  const nameOf = (/** @type {string} */ spoken) =>
    new Intl.DisplayNames([spoken], { type: 'language' }).of(spoken) ?? spoken
  const named = LANGUAGES.map((each) => /** @type {[string, string]} */ ([each, nameOf(each)]))
  return [['', text('settings.language.browser')], ...named]
}

/** Return an image file as a small logo for the settings; empty if it cannot be read. @param {Blob} file */
async function logoOf(file) {
  const picture = await createImageBitmap(file).catch(() => null)
  if (!picture) return ''
  for (let side = SIDE; side >= SIDE / 8; side /= 2) {
    const scale = Math.min(1, side / Math.max(picture.width, picture.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(picture.width * scale))
    canvas.height = Math.max(1, Math.round(picture.height * scale))
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    const logo = canvas.toDataURL('image/png')
    if (logo.length <= MOST_OF_LOGO) return logo
  }
  return ''
}
