import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { speak, loadFurtherTexts } from '../../barcodesvc/page/script/language.js'
import { refusalText } from '../../barcodesvc/page/script/ui.js'

await speak('en')
await loadFurtherTexts()

/**
 * @param {string} reason
 * @param {any} [more] of the refusal, and its details
 */
function refused(reason, more = {}) {
  const { code = 'VALIDATION_ERROR', retryAfter = 0, ...details } = more
  return refusalText({ code, details: { reason, ...details }, retryAfter })
}

test('a known reason has a text of the page; an unknown one is said in the language of the page, too', () => {
  assert.equal(refused('no_product_matches'), 'No product has this code.')
  assert.equal(refused('of_a_later_release'), 'That did not work.')
  assert.match(refused('foreign_host'), /BARCODESVC_ALLOWED_HOSTS/)
})

test('a text contains the level, what is wrong, and how long to wait', () => {
  assert.equal(refused('level_out_of_range', { current_level: 1200 }), 'There are only 1,200.')
  assert.equal(refused('invalid_input'), 'Something entered is not valid. Please check it.')
  assert.equal(refused('rate_limited', { retryAfter: 61 }), 'Too many requests. Please wait 2 minutes.')
  assert.equal(refused('rate_limited'), 'Too many requests. Please wait 1 minute.')
})

test('what is not found is named', () => {
  assert.equal(refused('not_found', { code: 'PRODUCT_NOT_FOUND' }), 'This product does not exist.')
  const gone = (/** @type {string} */ resource) => refused('not_found', { resource, name: 'shelf' })
  assert.equal(gone('movement'), 'This movement no longer exists. Nothing was undone.')
  assert.equal(gone('printer'), 'The printer shelf is no longer set up. Please choose another one.')
  assert.equal(gone('layout'), 'The layout shelf no longer exists. Please choose another one.')
  assert.equal(gone('image'), 'The image shelf no longer exists. Please choose another layout.')
  assert.equal(gone('print_job'), 'This print job no longer exists.')
  assert.equal(gone('of_a_later_release'), 'That did not work.')
})

test('a refusal without a reason is said in the language of the page', () => {
  assert.equal(refusalText({ code: '', details: null }), 'That did not work.')
})
