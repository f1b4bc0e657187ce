/** The settings of this device. Each is kept at once; there is nothing to save. */

import { element } from '../dom.js'
import { LANGUAGES, text } from '../language.js'
import { worksOffline } from '../offline.js'
import { change, settings } from '../settings.js'
import { bad, good } from '../sounds.js'

/** @returns {import('../router.js').View} */
export function open() {
  const node = element(
    'div',
    { class: 'view two' },
    element('h1', { class: 'wide' }, text('view.settings')),
    card(
      'settings.person',
      element('label', null, text('settings.author'), field('author', 100)),
      element('p', { class: 'soft' }, text('settings.author.why')),
      element('label', null, text('settings.language'), languages()),
    ),
    card(
      'settings.scanner',
      check('sounds', 'settings.sounds'),
      element(
        'div',
        { class: 'row' },
        element('button', { type: 'button', onclick: good }, text('settings.sound.good')),
        element('button', { type: 'button', onclick: bad }, text('settings.sound.bad')),
      ),
      check('slowScanner', 'settings.slow'),
      element('p', { class: 'soft' }, text('settings.slow.why')),
    ),
    card('settings.offline', element('p', null, text(worksOffline() ? 'offline.installed' : 'offline.plain'))),
  )
  return { node, title: text('view.settings') }
}

/**
 * @param {string} title
 * @param {...Node} children
 */
function card(title, ...children) {
  return element('section', { class: 'card' }, element('h2', null, text(title)), ...children)
}

/**
 * @param {'author'} name
 * @param {number} maxlength
 */
function field(name, maxlength) {
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
  const choice = element(
    'select',
    { onchange: () => change({ language: choice.value }) },
    element('option', { value: '' }, text('settings.language.browser')),
    ...LANGUAGES.map((each) => element('option', { value: each, lang: each }, nameOf(each))),
  )
  choice.value = settings().language
  return choice
}

/** @param {string} language which is named in itself */
function nameOf(language) {
  return new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
}
