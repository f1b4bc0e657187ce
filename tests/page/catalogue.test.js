import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Refusal, Unreachable } from '../../barcodesvc/page/script/api.js'
import { found } from '../../barcodesvc/page/script/catalogue/copy.js'
import { CatalogueRefresh, MOST } from '../../barcodesvc/page/script/catalogue/refresh.js'
import { ServiceClock } from '../../barcodesvc/page/script/service_clock.js'

/** @typedef {import('../../barcodesvc/page/script/catalogue/copy.js').Product} Product */

const [MINUTE, DAY] = [60_000, 86_400_000]
const BEGIN = Date.parse('2026-03-02T08:00:00Z')

/** A storage in memory. */
class Shelf {
  epoch = 0
  /** @type {import('../../barcodesvc/page/script/catalogue/copy.js').State | null} */
  state = null
  /** @type {Map<number, Product>} */
  products = new Map()

  async read() {
    await null
    return { epoch: this.epoch, state: this.state }
  }

  /** @param {string} code */
  async find(code) {
    await null
    return [...this.products.values()].filter(({ product_code }) => product_code === code)
  }

  async count() {
    await null
    return this.products.size
  }

  /**
   * @param {number} epoch
   * @param {import('../../barcodesvc/page/script/catalogue/copy.js').Change} change
   */
  async change(epoch, { products, replaced: [after, upTo] = [0, 0], state }) {
    await null
    if (epoch !== this.epoch) return
    for (const id of this.products.keys()) if (id > after && id <= upTo) this.products.delete(id)
    for (const product of products) this.products.set(product.id, product)
    this.state = state ?? this.state
  }

  /**
   * @param {Map<number, number>} levels
   * @param {number} at
   */
  async setLevels(levels, at) {
    await null
    for (const [id, level] of levels) {
      const product = this.products.get(id)
      if (product) this.products.set(id, { ...product, level, at })
    }
  }

  async forget() {
    await null
    this.epoch += 1
    this.state = null
    this.products.clear()
  }
}

/** A service with a catalogue, whose clock is this test's. */
class Shop {
  now = BEGIN
  /** @type {any[]} */
  products = []
  /** Requests so far: the sorting, or the filter, and the page. @type {string[]} */
  asked = []
  /** Products in all responses so far. */
  read = 0
  /** Called before each response. */
  fault = () => {}
  /** How many products have existed. */
  created = 0

  /** @param {number} count */
  create(count) {
    for (let made = 0; made < count; made += 1) {
      const id = (this.created += 1)
      const times = { updated_at: this.iso(), moved_at: this.iso() }
      this.products.push({ id, product_code: `A-${id}`, description: `Pen ${id}`, current_level: 5, ...times })
    }
  }

  iso() {
    return new Date(this.now).toISOString()
  }

  /** @param {number} id */
  of(id) {
    return this.products.find((product) => product.id === id)
  }

  /** @param {any} query */
  async list({ sort, moved_since, page, limit, include_levels }) {
    await null
    this.asked.push(`${sort ?? (moved_since ? 'moved' : 'id')} ${page}`)
    this.fault()
    assert.equal(include_levels, true)
    const listed = this.products.filter(({ moved_at }) => !moved_since || moved_at >= moved_since)
    if (sort === '-updated_at') listed.sort((one, other) => (one.updated_at < other.updated_at ? 1 : -1))
    const data = listed.slice((page - 1) * limit, page * limit)
    this.read += data.length
    return { data, pagination: { total: listed.length } }
  }
}

/** @param {number} count products of the shop */
function shopWith(count) {
  const [shop, shelf, clock] = [new Shop(), new Shelf(), new ServiceClock()]
  shop.now = BEGIN - DAY
  shop.create(count)
  shop.now = BEGIN
  clock.most = 0
  const refresh = new CatalogueRefresh(shelf, shop, clock, () => shop.now)
  return { shop, shelf, refresh }
}

test('all pages are read, and a product is remembered as of the beginning', async () => {
  const { shop, shelf, refresh } = shopWith(1001)
  assert.equal(await found(shelf, 'A-7'), null)
  await refresh.run()
  assert.deepEqual(shop.asked, ['id 1', 'id 2', 'id 3'])
  assert.deepEqual(await found(shelf, 'A-1001'), {
    ...{ id: 1001, product_code: 'A-1001', description: 'Pen 1001', level: 5 },
    remembered: new Date(BEGIN),
  })
})

test('only exact codes are confirmed', async () => {
  const { shelf, refresh } = shopWith(3)
  await refresh.run()
  assert.equal((await found(shelf, ' A-1\u00a0'))?.id, 1)
  for (const code of ['a-1', 'A-', 'A-10', ']C1A-1', '']) assert.equal(await found(shelf, code), null, code)
})

test('a code that two products have had is not confirmed', async () => {
  const { shelf, refresh } = shopWith(3)
  await refresh.run()
  await shelf.change(0, { products: [{ id: 9, product_code: 'A-1', description: 'Other', level: 1 }] })
  assert.equal(await found(shelf, 'A-1'), null)
})

test('the copy is refreshed within a minute, or when the clock is set back', async () => {
  const { shop, refresh } = shopWith(3)
  assert.equal(await refresh.isDue(), true)
  await refresh.run()
  for (const [seconds, isDue] of /** @type {[number, boolean][]} */ ([
    [39, false],
    [40, true],
    [-1, true],
  ])) {
    shop.now = BEGIN + seconds * 1000
    assert.equal(await refresh.isDue(), isDue, `${seconds} seconds later`)
  }
})

test('a refresh reads what has changed: products, and levels', async () => {
  const { shop, shelf, refresh } = shopWith(2000)
  await refresh.run()
  shop.asked = []
  shop.now += 30 * MINUTE
  Object.assign(shop.of(4), { current_level: 9, moved_at: shop.iso() })
  Object.assign(shop.of(5), { product_code: 'B-5', updated_at: shop.iso() })
  shop.create(1)
  await refresh.run()
  assert.deepEqual(shop.asked, ['-updated_at 1', '-updated_at 1', 'moved 1'])
  assert.equal((await found(shelf, 'A-4'))?.level, 9)
  assert.equal(await found(shelf, 'A-5'), null)
  assert.equal((await found(shelf, 'B-5'))?.id, 5)
  assert.deepEqual((await found(shelf, 'A-2001'))?.remembered, new Date(shop.now))
})

test('a refresh reads one product where none has changed', async () => {
  const { shop, shelf, refresh } = shopWith(2000)
  await refresh.run()
  shop.asked = []
  shop.read = 0
  shop.now += MINUTE
  await refresh.run()
  assert.deepEqual(shop.asked, ['-updated_at 1', 'moved 1'])
  assert.equal(shop.read, 1)
  assert.deepEqual((await found(shelf, 'A-7'))?.remembered, new Date(shop.now))
})

test('a level that the service has named since the last refresh counts, and says as of when', async () => {
  const { shop, shelf, refresh } = shopWith(3)
  await refresh.run()
  await shelf.setLevels(new Map([[2, 8]]), BEGIN + 1000)
  const known = { id: 2, product_code: 'A-2', description: 'Pen 2', level: 8 }
  assert.deepEqual(await found(shelf, 'A-2'), { ...known, remembered: new Date(BEGIN + 1000) })
  shop.now += MINUTE
  await refresh.run()
  assert.deepEqual(await found(shelf, 'A-2'), { ...known, remembered: new Date(shop.now) })
})

test('what changed just before the last refresh is read again', async () => {
  const { shop, shelf, refresh } = shopWith(10)
  await refresh.run()
  // written by a replica whose clock is slow, after its page was read
  Object.assign(shop.of(4), { current_level: 9, moved_at: new Date(BEGIN - MINUTE / 2).toISOString() })
  shop.now += 30 * MINUTE
  await refresh.run()
  assert.equal((await found(shelf, 'A-4'))?.level, 9)
})

test('a deleted product is forgotten, even if another was created', async () => {
  const { shop, shelf, refresh } = shopWith(1200)
  await refresh.run()
  for (const [deleted, created] of [
    [7, 0],
    [600, 1],
    [1201, 0],
  ]) {
    shop.now += 30 * MINUTE
    shop.products = shop.products.filter(({ id }) => id !== deleted)
    shop.create(created ?? 0)
    await refresh.run()
    assert.equal(await found(shelf, `A-${deleted}`), null)
    assert.equal(await shelf.count(), shop.products.length)
  }
})

test('all products are read once a day, and if much has changed', async () => {
  const { shop, refresh } = shopWith(2400)
  await refresh.run()
  shop.asked = []
  shop.now += DAY
  await refresh.run()
  assert.deepEqual(shop.asked, ['id 1', 'id 2', 'id 3', 'id 4', 'id 5'])
  shop.now += 30 * MINUTE
  for (const product of shop.products) product.updated_at = shop.iso()
  shop.asked = []
  await refresh.run()
  assert.equal(shop.asked.at(-1), 'id 5')
})

test('the copy ends at its limit, and stays there', async () => {
  const { shop, shelf, refresh } = shopWith(MOST + 700)
  await refresh.run()
  assert.equal(shop.asked.length, MOST / 500)
  assert.equal(await shelf.count(), MOST)
  assert.equal(await found(shelf, `A-${MOST + 1}`), null)
  for (const id of [1, MOST + 1]) Object.assign(shop.of(id), { current_level: 1, moved_at: shop.iso() })
  shop.now += MINUTE
  await refresh.run()
  assert.equal((await found(shelf, 'A-1'))?.level, 1)
  assert.equal(await shelf.count(), MOST)
})

test('a catalogue that grows beyond the limit is cut', async () => {
  const { shop, shelf, refresh } = shopWith(MOST)
  await refresh.run()
  shop.now += 30 * MINUTE
  shop.create(2)
  await refresh.run()
  assert.equal(await shelf.count(), MOST)
  assert.equal(shelf.state?.total, MOST + 2)
})

test('a refresh that fails leaves the copy, which says from when it is', async () => {
  const { shop, shelf, refresh } = shopWith(1200)
  await refresh.run()
  shop.now += DAY
  shop.fault = () => {
    if (shop.asked.at(-1) === 'id 2') throw new Unreachable('no network')
  }
  await assert.rejects(refresh.run(), Unreachable)
  assert.deepEqual((await found(shelf, 'A-1'))?.remembered, new Date(BEGIN))
  assert.equal(await shelf.count(), 1200)
})

test('a refused key deletes the copy', async () => {
  const { shop, shelf, refresh } = shopWith(10)
  await refresh.run()
  shop.now += 30 * MINUTE
  shop.fault = () => {
    throw new Refusal(401, { code: 'UNAUTHORIZED', message: 'no key' })
  }
  await assert.rejects(refresh.run(), Refusal)
  assert.equal(await shelf.count(), 0)
  assert.equal(await found(shelf, 'A-1'), null)
})

test('what is forgotten during a refresh stays forgotten', async () => {
  const { shop, shelf, refresh } = shopWith(1200)
  shop.fault = () => {
    if (shop.asked.length === 2) void shelf.forget()
  }
  await refresh.run()
  assert.equal(await shelf.count(), 0)
  assert.equal(await found(shelf, 'A-1'), null)
})
