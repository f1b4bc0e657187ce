import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

const { speak, loadFurtherTexts, text } = await import('../../barcodesvc/page/script/language.js')

test('the texts of labels stay when their language is loaded once more', async () => {
  await speak('en-GB')
  await loadFurtherTexts()
  await speak('en-GB') // as early_language.js does if it comes late
  assert.equal(text('kiosk.scan'), 'Scan a product')
})

test('another language brings its own texts of labels', async () => {
  await speak('en')
  await loadFurtherTexts()
  await speak('de')
  await loadFurtherTexts()
  assert.equal(text('kiosk.scan'), 'Scannen Sie einen Artikel')
})
