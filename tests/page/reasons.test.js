import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { speak, speakOfLabels } from '../../barcodesvc/page/script/language.js'
import { refusalText } from '../../barcodesvc/page/script/reasons.js'

await speak('en')
await speakOfLabels()

/**
 * @param {string} reason
 * @param {any} [more] of the refusal, and its details
 */
function refused(reason, more = {}) {
  const { code = 'VALIDATION_ERROR', retryAfter = 0, ...details } = more
  return refusalText({ code, message: 'in the words of the service', details: { reason, ...details }, retryAfter })
}

test('a known reason has a text of the page, and an unknown one that of the service', () => {
  assert.equal(refused('no_product_matches'), 'No product has this code.')
  assert.equal(refused('of_a_later_release'), 'in the words of the service')
  assert.match(refused('foreign_host'), /BARCODESVC_ALLOWED_HOSTS/)
})

test('a text contains the level, what is wrong, and how long to wait', () => {
  assert.equal(refused('level_out_of_range', { current_level: 1200 }), 'There are only 1,200.')
  assert.equal(refused('invalid_input'), 'This is not valid: in the words of the service')
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
  assert.equal(gone('of_a_later_release'), 'in the words of the service')
})

test('a refusal without a reason, or with an unknown one, is shown in the words of the service', () => {
  assert.equal(refused('another_one'), 'in the words of the service')
  assert.equal(refusalText({ code: '', message: 'in other words' }), 'in other words')
})
