import './pretended_document.js'
import assert from 'node:assert/strict'
import { test } from 'node:test'

const { addressOf, ALL, idsOf, isFiltered, nextSort, readQuery, requestOf, rowsBetween, selectedWith } =
  await import('../../barcodesvc/page/script/products/query.js')

test('an address leads to the same list again', () => {
  const query = {
    search: 'pen & ink',
    category: 'Office',
    stock: 'low',
    moved: '7',
    retired: 'any',
    sort: '-updated_at',
    page: 3,
  }
  const address = addressOf(query)
  assert.deepEqual(readQuery(new URLSearchParams(address.split('?')[1])), query)
  assert.equal(addressOf(ALL), '#products')
  assert.equal(addressOf({ ...ALL, search: 'pen' }, 12), '#products/12?search=pen')
})

test('values that the list does not have are left out', () => {
  const given = new URLSearchParams('stock=full&moved=5&retired=1&sort=price&page=-2')
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

test('a range of rows has both of its ends, in both directions, and begins on its own page', () => {
  const page = [1, 2, 3, 4].map((id) => ({ id }))
  const between = (/** @type {number | null} */ first, /** @type {number} */ last) =>
    rowsBetween(page, first, last).map(({ id }) => id)
  assert.deepEqual([between(2, 4), between(3, 1), between(null, 2), between(9, 2)], [[2, 3, 4], [1, 2, 3], [2], [2]])
})

test('what is selected is there once, and stays when other rows are left out', () => {
  const [one, two, six] = [{ id: 1 }, { id: 2 }, { id: 6 }]
  assert.deepEqual(selectedWith([six, one], [one, two], true), [six, one, two])
  assert.deepEqual(selectedWith([six, one], [one, two], false), [six])
})

test('the numbers of an address are read once each, at most 500, and anything else is ignored', () => {
  assert.deepEqual(idsOf('3,1,3,x,,0,-2,1.5,2'), [3, 1, 2])
  assert.deepEqual([idsOf(null), idsOf(''), idsOf('7')], [[], [], [7]])
  assert.equal(idsOf(Array.from({ length: 600 }, (_, index) => index + 1).join()).length, 500)
})
