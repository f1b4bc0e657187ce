/** The settings of this device. Each is stored immediately; there is no save button. */

import { ask, LIMITS, SESSION } from '../api.js'
import { extent, forgetCatalogue } from '../catalogue/copy.js'
import { element, fill } from '../dom.js'
import { moment } from '../formats.js'
import { forgetOrders } from '../labels/last_orders.js'
import { LANGUAGES, text } from '../language.js'
import { worksOffline } from '../offline.js'
import { openScanned, showProduct } from '../open_scanned.js'
import { errorText } from '../failure.js'
import { openOnPhone } from './phone_dialog.js'
import { testScanner } from '../scanner/scanner_test.js'
import { change, settings } from '../settings.js'
import { bad, good, unchecked } from '../sounds.js'

/** Of the scripts of other projects. */
const LICENCES = new URL('../../library/LICENSES.txt', import.meta.url).href

/** @returns {import('../router.js').View} */
export function open() {
  const ended = new AbortController()
  const isTyped = () => node.querySelector('[aria-invalid=true]') !== null
  const node = element(
    'div',
    { class: 'view in-columns' },
    element('h1', null, text('view.settings')),
    card(
      'settings.person',
      element('label', null, text('settings.author'), textField('author', LIMITS.author)),
      element('p', { class: 'soft' }, text('settings.author.why')),
      element('label', null, text('settings.language'), languages()),
    ),
    reasonsCard(),
    card(
      'settings.scanner',
      check('sounds', 'settings.sounds'),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', onclick: good }, text('settings.sound.good')),
        element('button', { type: 'button', onclick: bad }, text('settings.sound.bad')),
        element('button', { type: 'button', onclick: unchecked }, text('settings.sound.unchecked')),
      ),
      check('slowScanner', 'settings.slow'),
      element('p', { class: 'soft' }, text('settings.slow.why')),
      element('div', null, element('button', { type: 'button', onclick: testScanner }, text('settings.test'))),
    ),
    card('settings.offline', whetherItOpens(), rememberedProducts()),
    accessCard(),
    card(
      'settings.about',
      element('p', null, release()),
      element('p', null, text('settings.licence')),
      element('p', null, element('a', { href: '/source' }, text('settings.source'))),
      element('p', null, element('a', { href: '/api/docs' }, text('settings.api'))),
      element('p', null, element('a', { href: LICENCES }, text('settings.library'))),
    ),
  )
  return {
    node,
    title: text('view.settings'),
    scan: (code) => void openScanned(code, isTyped, ended.signal, showProduct),
    close: () => ended.abort(),
  }
}

/** The phone, and the way out, which only a service with a key has. */
function accessCard() {
  const leaving = element('div', { class: 'stack' })
  void needsKey().then((needs) => needs && fill(leaving, ...logOutButton()))
  return card(
    'settings.signed',
    element('div', null, element('button', { type: 'button', onclick: openOnPhone }, text('phone.title'))),
    leaving,
  )
}

/** Return whether the service refuses requests without a session. */
async function needsKey() {
  const response = await fetch('/api/products?limit=1', { credentials: 'omit' }).catch(() => null)
  return response?.status === 401
}

function logOutButton() {
  const outcome = element('p', { class: 'problem', role: 'alert' })
  async function leave() {
    try {
      await ask('DELETE', SESSION)
      await forgetCatalogue()
      forgetOrders()
      location.reload()
    } catch (error) {
      outcome.textContent = errorText(error)
    }
  }
  return [
    element('div', null, element('button', { type: 'button', onclick: () => void leave() }, text('settings.log-out'))),
    element('p', { class: 'soft' }, text('settings.log-out.why')),
    outcome,
  ]
}

/** Whether the web app opens without the network, and if not, why. */
function whetherItOpens() {
  const says = element('p')
  void worksOffline().then((works) => {
    const why = window.isSecureContext ? 'offline.refused' : 'offline.plain'
    says.textContent = text(works ? 'offline.installed' : why)
  })
  return says
}

/** How many products this device remembers, and as of when. */
function rememberedProducts() {
  const says = element('p')
  void extent().then((known) => {
    says.textContent = known
      ? text('settings.catalogue', { remembered: known.count, count: known.total, time: moment(known.asOf) })
      : text('settings.catalogue.none')
  })
  return says
}

/** Return the name and version of the service, as it wrote them into the page. */
function release() {
  return document.querySelector('meta[name=generator]')?.getAttribute('content') ?? ''
}

/**
 * @param {string} title
 * @param {...Node} children
 */
function card(title, ...children) {
  return element('section', { class: 'card' }, element('h2', null, text(title)), ...children)
}

/** The reasons that a person can choose for a booking. */
function reasonsCard() {
  const field = element('input', {
    type: 'text',
    autocomplete: 'off',
    maxlength: 500,
    value: settings().reasons,
    placeholder: text('settings.reasons.example'),
    oninput: () => change({ reasons: field.value }),
  })
  return card(
    'settings.reasons',
    element('label', null, text('settings.reasons.field'), field),
    element('p', { class: 'soft' }, text('settings.reasons.why')),
  )
}

/**
 * @param {'author'} name
 * @param {number} maxlength
 */
function textField(name, maxlength) {
  const made = element('input', {
    type: 'text',
    value: settings()[name],
    maxlength,
    autocomplete: 'name',
    oninput: () => change({ [name]: made.value.trim() }),
  })
  return made
}

/**
 * @param {'sounds' | 'slowScanner'} name
 * @param {string} label
 */
function check(name, label) {
  const box = element('input', {
    type: 'checkbox',
    checked: settings()[name],
    onchange: () => change({ [name]: box.checked }),
  })
  return element('label', { class: 'check' }, box, text(label))
}

function languages() {
  const field = element(
    'select',
    { onchange: () => change({ language: field.value }) },
    element('option', { value: '' }, text('settings.language.browser')),
    ...LANGUAGES.map((each) => element('option', { value: each, lang: each }, nameOf(each))),
  )
  field.value = settings().language
  return field
}

/** @param {string} spoken which is named in itself */
function nameOf(spoken) {
  return new Intl.DisplayNames([spoken], { type: 'language' }).of(spoken) ?? spoken
}
