import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Refusal, Unreachable } from '../../barcodesvc/page/script/api.js'
import { copyIn } from '../../barcodesvc/page/script/catalogue/copy.js'

/** @typedef {import('../../barcodesvc/page/script/catalogue/copy.js').Values} Values */
/** @typedef {import('../../barcodesvc/page/script/catalogue/copy.js').Storage} Storage */

const MINUTE = 60_000
const BEGIN = Date.parse('2026-03-02T08:00:00Z')
const PEN = { id: 1, product_code: 'A-1', description: 'Blue pen', unit_of_measure: 'pcs' }
/** What the copy says of the codes of the pen. */
const ALONE = { pack: 1, packs: new Map([['A-1', 1]]) }

/** A device and its service: `products` are those of the service, whose tag is their text. */
class Shop {
  now = BEGIN
  /** @type {(typeof PEN & {current_level: number, other_codes?: object[]})[]} */
  products = [
    { ...PEN, current_level: 5 },
    { ...PEN, id: 2, product_code: 'B-1', current_level: 7 },
  ]
  /** The statuses of the responses so far. @type {number[]} */
  answered = []
  /** What happens while a response is on its way. */
  meanwhile = async () => {}
  /** @type {Partial<Values>} */
  stored = {}

  /** @param {string} tag */
  async ask(tag) {
    const text = JSON.stringify({ data: this.products, pagination: { total: 30_000 } })
    await this.meanwhile()
    const status = tag === text ? 304 : 200
    this.answered.push(status)
    return new Response(status === 200 ? text : null, { status, headers: { ETag: text } })
  }

  /** Return the copy, as a page that has just been opened sees it. */
  copy() {
    const nothing = { tag: '', asOf: 0, levels: {} }
    /** @type {Storage} */
    const storage = {
      read: (key) => Promise.resolve(this.stored[key]),
      update: (change) => {
        this.stored = { ...this.stored, ...change(this.stored.about ?? nothing) }
        return Promise.resolve()
      },
    }
    return copyIn(
      storage,
      (tag) => this.ask(tag),
      () => this.now,
    )
  }
}

test('the copy confirms exact codes, as of when it was asked for', async () => {
  const shop = new Shop()
  assert.equal(await shop.copy().find('A-1'), null)
  assert.equal(await shop.copy().extent(), null)
  await shop.copy().refresh()
  shop.now += MINUTE
  const copy = shop.copy()
  assert.deepEqual(await copy.find(' A-1\u00a0'), { ...PEN, ...ALONE, level: 5, remembered: new Date(BEGIN) })
  for (const code of ['a-1', 'A-', 'A-10', ']C1A-1', '']) assert.equal(await copy.find(code), null, code)
  assert.deepEqual(await copy.extent(), { count: 2, total: 30_000, asOf: new Date(BEGIN) })
})

test('a further code finds its product, with the pieces of each; an own code comes first', async () => {
  const shop = new Shop()
  const others = [
    { code: 'BOX', pack_quantity: 6 },
    { code: 'B-1', pack_quantity: 2 },
  ]
  shop.products = [{ ...PEN, current_level: 5, other_codes: others }, ...shop.products.slice(1)]
  const copy = shop.copy()
  await copy.refresh()
  const found = await copy.find('BOX')
  assert.deepEqual([found?.product_code, found?.pack, found?.level], ['A-1', 6, 5])
  assert.deepEqual([...(found?.packs ?? [])].slice(0, 2), [
    ['A-1', 1],
    ['BOX', 6],
  ])
  assert.equal((await copy.find('B-1'))?.id, 2)
  assert.equal((await copy.extent())?.count, 2)
})

test('it is sent again only if something has changed, and else is as of now', async () => {
  const shop = new Shop()
  const copy = shop.copy()
  await copy.refresh()
  shop.products = [{ ...PEN, current_level: 8 }]
  for (let turn = 0; turn < 2; turn++) {
    shop.now += MINUTE
    await copy.refresh()
  }
  assert.deepEqual(shop.answered, [200, 200, 304])
  assert.deepEqual(await copy.find('A-1'), { ...PEN, ...ALONE, level: 8, remembered: new Date(BEGIN + 2 * MINUTE) })
  assert.equal(await copy.find('B-1'), null)
})

test('a level that the service has named counts, until a copy that was asked for later is there', async () => {
  const shop = new Shop()
  const copy = shop.copy()
  await copy.setLevels(new Map([[1, 9]]))
  await copy.refresh()
  assert.equal((await copy.find('A-1'))?.level, 5)
  shop.now += MINUTE
  await copy.setLevels(new Map([[1, 6]]))
  await copy.setLevels(new Map([[2, 8]]))
  assert.deepEqual(await copy.find('A-1'), { ...PEN, ...ALONE, level: 6, remembered: new Date(shop.now) })
  shop.now += 1
  shop.meanwhile = () => copy.setLevels(new Map([[2, 4]])) // booked after the response was made
  await copy.refresh()
  assert.equal((await copy.find('A-1'))?.level, 5)
  assert.equal((await copy.find('B-1'))?.level, 4)
})

test('a refresh that fails leaves the copy, which says from when it is', async () => {
  const shop = new Shop()
  await shop.copy().refresh()
  shop.now += MINUTE
  shop.meanwhile = () => Promise.reject(new Unreachable('no network'))
  await assert.rejects(shop.copy().refresh(), Unreachable)
  assert.deepEqual((await shop.copy().find('A-1'))?.remembered, new Date(BEGIN))
})

test('a refused key deletes the copy', async () => {
  const shop = new Shop()
  const copy = shop.copy()
  await copy.refresh()
  shop.now += MINUTE
  shop.meanwhile = () => Promise.reject(new Refusal(401, {}))
  await assert.rejects(copy.refresh(), Refusal)
  assert.equal(await copy.find('A-1'), null)
  assert.equal(await copy.extent(), null)
  assert.equal(shop.stored.body?.text, '')
})

test('what is forgotten during a refresh stays forgotten, also during the first one', async () => {
  const shop = new Shop()
  shop.meanwhile = () => shop.copy().forget()
  for (const minutes of [0, 1]) {
    shop.now = BEGIN + minutes * MINUTE
    const copy = shop.copy()
    await copy.refresh()
    assert.equal(await copy.find('A-1'), null)
    assert.equal(shop.stored.body?.text, '')
  }
})
