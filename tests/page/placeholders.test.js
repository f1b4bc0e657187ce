import assert from 'node:assert/strict'
import { test } from 'node:test'

import './pretended_document.js'

import { loadFurtherTexts, speak } from '../../barcodesvc/page/script/language.js'
import { partsOf, placeholderName, placeholdersFor } from '../../barcodesvc/page/script/labels/layouts.js'

await speak('en')
await loadFurtherTexts()

test('a line is texts and placeholders in turn, and nothing of it is lost', () => {
  for (const [line, parts] of /** @type {[string, string[]][]} */ ([
    ['', ['']],
    ['Aisle 7', ['Aisle 7']],
    ['{description}', ['', '{description}', '']],
    ['{date} {n:05}!', ['', '{date}', ' ', '{n:05}', '!']],
    ['{{date}} {', ['{{date}} {']],
    ['{{{n}}} { n }', ['{{', '{n}', '}} { n }']],
  ])) {
    assert.deepEqual(partsOf(line), parts)
    assert.equal(partsOf(line).join(''), line)
  }
})

test('a placeholder is called by what it stands for, whatever its format', () => {
  const names = ['{description}', '{n:05}', '{date:%d.%m.%Y}', '{date+7}', '{attributes.vk_brutto:money}', '{lot}']
  assert.deepEqual(names.map(placeholderName), ['Name', 'Label number', 'Date', 'Date in 7 days', 'vk_brutto', 'lot'])
})

test('the attributes of the products can be inserted, and dates as the language writes them', async () => {
  const offered = placeholdersFor(['price'])
  assert.ok(offered.includes('{attributes.price}'))
  await speak('de')
  assert.ok(placeholdersFor([]).includes('{date+7:%d.%m.%Y}'))
  await speak('en')
})
