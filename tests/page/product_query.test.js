import './pretended_document.js'
import assert from 'node:assert/strict'
import { test } from 'node:test'

const { addressOf, ALL, isFiltered, nextSort, readQuery, requestOf, sortDirection } =
  await import('../../barcodesvc/page/script/products/query.js')

test('an address leads to the same list again', () => {
  const query = { search: 'pen & ink', category: 'Office', stock: 'low', moved: '7', sort: '-updated_at', page: 3 }
  const address = addressOf(query)
  assert.deepEqual(readQuery(new URLSearchParams(address.split('?')[1])), query)
  assert.equal(addressOf(ALL), '#products')
  assert.equal(addressOf({ ...ALL, search: 'pen' }, 12), '#products/12?search=pen')
})

test('values that the list does not have are left out', () => {
  const given = new URLSearchParams('stock=full&moved=5&sort=price&page=-2')
  assert.deepEqual(readQuery(given), ALL)
})

test('a column is sorted, then the other way round, then not at all', () => {
  const presses = (/** @type {string} */ field) => {
    const first = nextSort('', field)
    const second = nextSort(first, field)
    return [first, second, nextSort(second, field)]
  }
  assert.deepEqual(presses('current_level'), ['current_level', '-current_level', ''])
  assert.deepEqual(presses('updated_at'), ['-updated_at', 'updated_at', ''])
  assert.equal(nextSort('-updated_at', 'description'), 'description')
  assert.equal(sortDirection('-updated_at', 'updated_at'), 'descending')
  assert.equal(sortDirection('-updated_at', 'description'), 'none')
})

test('a product has moved within days that end today', () => {
  const now = new Date(2026, 2, 10, 15)
  assert.equal(requestOf({ ...ALL, moved: '1' }, now).moved_since, new Date(2026, 2, 10).toISOString())
  assert.equal(requestOf({ ...ALL, moved: '30' }, now).moved_since, new Date(2026, 1, 9).toISOString())
  assert.equal(requestOf(ALL, now).moved_since, '')
})

test('the order of a list filters nothing', () => {
  assert.equal(isFiltered({ ...ALL, sort: 'description', page: 2 }), false)
  assert.equal(isFiltered({ ...ALL, moved: '1' }), true)
})
