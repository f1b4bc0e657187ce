import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Sightings } from '../../barcodesvc/page/script/camera/sightings.js'

/**
 * Return a code of a picture; one at the edge has a small letter.
 *
 * @param {string} text
 * @param {number} distance
 */
function code(text, distance) {
  const isCentral = text === text.toUpperCase()
  return { text, type: 'QRCode', position: [], distance, isCentral }
}

/**
 * Return what counts in pictures that follow each other.
 *
 * @param {string[][]} shown the codes of each, the nearest to the centre first
 * @param {number} [between] milliseconds from one to the next
 */
function counted(shown, between = 250) {
  const sightings = new Sightings()
  return shown.map((texts, index) => sightings.see(texts.map(code), index * between)?.text ?? '').join(' ')
}

/**
 * @param {number} count
 * @param {...string} codes of each of these pictures
 */
function pictures(count, ...codes) {
  return Array.from({ length: count }, () => codes)
}

test('a code that stays in the picture counts once', () => {
  assert.equal(counted(pictures(20, 'A')).trim(), 'A')
})

test('a code counts again after 2.5 seconds of absence', () => {
  assert.equal(
    counted([['A'], ...pictures(11), ['A'], ['A']])
      .trim()
      .split(/ +/).length,
    2,
  )
})

test('a code does not count again after a shorter absence', () => {
  assert.equal(counted([['A'], ...pictures(10), ['A'], ['A']]).trim(), 'A')
})

test('rare pictures are not an absence', () => {
  assert.equal(counted([['A'], [], ['A'], ['A'], [], ['A']], 4000).trim(), 'A')
})

test('another code counts at once', () => {
  assert.equal(counted([['A'], ['A'], ['B'], ['B']]), 'A  B ')
})

test('of several codes the nearest to the centre counts, and no other one', () => {
  assert.equal(counted(pictures(20, 'A', 'B', 'C')).trim(), 'A')
})

test('a code at the edge does not count while the one in the centre is blurred', () => {
  assert.equal(counted([['A', 'B'], ['B'], ['B'], ['A', 'B'], ['B'], []]).trim(), 'A')
})

test('a code that comes to the centre, and stays there for a second, counts', () => {
  assert.equal(counted([['A', 'B'], ...pictures(4, 'B', 'A')]), 'A    B')
})

test('a pause of the camera is not an absence, even if the picture before and the one after it are blurred', () => {
  const sightings = new Sightings()
  assert.equal(sightings.see([code('A', 0)], 0)?.text, 'A')
  sightings.see([], 125)
  sightings.pause()
  for (const time of [10_125, 12_000]) sightings.see([], time)
  assert.equal(sightings.see([code('A', 0)], 12_125), null)
})

test('the sleep of a device is not an absence', () => {
  const sightings = new Sightings()
  assert.equal(sightings.see([code('A', 0)], 0)?.text, 'A')
  for (const time of [125, 10_125]) sightings.see([], time)
  assert.equal(sightings.see([code('A', 0)], 10_250), null)
})

test('a pause does not count for the second that another code waits while the one in the centre is blurred', () => {
  const sightings = new Sightings()
  assert.equal(sightings.see([code('A', 0), code('B', 1)], 0)?.text, 'A')
  sightings.pause()
  assert.equal(sightings.see([code('B', 1)], 10_000), null)
})

test('a code that is twice in a picture is one', () => {
  assert.equal(counted([['A', 'A']]), 'A')
  assert.equal(counted([['A', 'A'], [], [], ['A']], 2000).trim(), 'A')
})

test('three missed pictures, and a second of blur, are not an absence', () => {
  assert.equal(counted([['A'], [], [], [], ['A'], ...pictures(9), ['A']]).trim(), 'A')
})

test('a code at the edge counts after a while, so that looks at other angles find one in the centre first', () => {
  assert.equal(counted([['a'], ['a'], ['a'], ['a']]), '   a')
  assert.equal(counted([['a'], ['a']], 1000), ' a')
  assert.equal(counted([['a'], ['B', 'a'], ['a'], ['B', 'a']]), ' B  ')
})

test('a number with and without its add-on is one code', () => {
  const [number, withAddOn] = ['9771234567003', '9771234567003+05']
  assert.equal(counted([[withAddOn], [number], [withAddOn]]), `${withAddOn}  `)
})

test('an add-on that one picture has shown is not lost in the next one', () => {
  const sightings = new Sightings()
  for (const [index, text] of ['9771234567003+05', '9771234567003'].entries())
    sightings.see([code(text, 0)], index * 250)
  assert.deepEqual(
    sightings.inView().map((sighting) => sighting.code.text),
    ['9771234567003+05'],
  )
})

test('a code is in view for a moment after it was read, the nearest to the centre first', () => {
  const sightings = new Sightings()
  sightings.see([code('B', 40), code('A', 10)], 0)
  sightings.see([], 400)
  assert.deepEqual(textsOf(sightings.inView()), ['A', 'B'])
  sightings.see([], 800)
  assert.deepEqual(textsOf(sightings.inView()), [])
})

test('a chosen code counts, and not again while it stays', () => {
  const sightings = new Sightings()
  sightings.see([code('A', 0), code('B', 1)], 0)
  const [, other] = sightings.inView()
  assert.ok(other)
  assert.equal(sightings.choose(other).text, 'B')
  assert.equal(sightings.see([code('B', 0)], 1500), null)
})

/**
 * Return a code in the middle that is a hundred pixels wide.
 *
 * @param {string} text
 * @param {string} type
 * @param {number} [height] of the lines that have read it
 */
function linear(text, type, height = 60) {
  const [right, bottom] = [100, height]
  const position = [
    { x: 0, y: 0 },
    { x: right, y: 0 },
    { x: right, y: bottom },
    { x: 0, y: bottom },
  ]
  return { text, type, position, distance: 0, isCentral: true }
}

/**
 * Return which texts count in pictures that follow each other, and in which of them.
 *
 * @param {ReturnType<typeof linear>[][]} shown
 */
function countedIn(shown) {
  const sightings = new Sightings()
  const texts = shown.map((codes, index) => `${index} ${sightings.see(codes, index * 125)?.text ?? ''}`)
  return texts.filter((each) => !each.endsWith(' '))
}

test('a linear code with a weak check, or one that few lines have read, counts in the second picture', () => {
  for (const weak of [linear('A1', 'CODE39'), linear('96385074', 'EAN8'), linear('A1', 'CODE128', 10)])
    assert.deepEqual(countedIn([[weak], [], [weak], [weak]]), [`2 ${weak.text}`])
  for (const strong of [linear('4006381333931', 'EAN13'), linear('A', 'QR', 2), linear('A', 'Code128')])
    assert.deepEqual(countedIn([[strong], [strong]]), [`0 ${strong.text}`])
})

test('a wrong text between pictures of the right one does not count', () => {
  const [right, wrong] = [linear('036000291452', 'UPCE'), linear('036001291451', 'UPCE')]
  assert.deepEqual(countedIn([[right], [wrong], [right], [right], [wrong], [right, wrong], [right]]), [
    '3 036000291452',
  ])
})

test('two codes at one place count, if neither is shown clearly more', () => {
  const [one, other] = [linear('A1', 'Code39'), { ...linear('B2', 'Code39'), distance: 9 }]
  const both = Array.from({ length: 7 }, () => [one, other])
  assert.deepEqual(countedIn([...both, ...Array.from({ length: 9 }, () => [other])]), ['4 A1', '14 B2'])
})

/** @param {import('../../barcodesvc/page/script/camera/types.js').Sighting[]} sightings */
function textsOf(sightings) {
  return sightings.map((sighting) => sighting.code.text)
}
