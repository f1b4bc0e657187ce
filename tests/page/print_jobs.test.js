import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import './pretended_document.js'

import { speak, loadFurtherTexts } from '../../barcodesvc/page/script/language.js'
import { keyOf, markTaken } from '../../barcodesvc/page/script/printers/jobs.js'
import { isOver, jobSays, paperNumbers } from '../../barcodesvc/page/script/printers/list.js'
import { waitsUntil } from '../../barcodesvc/page/script/printers/state.js'
import { pretendStorage } from './pretended_storage.js'

await speak('en')
await loadFurtherTexts()

const stored = pretendStorage('sessionStorage')
beforeEach(() => stored.clear())

/**
 * @param {string} state
 * @param {number} [sure]
 * @param {number} [unsure]
 */
function job(state, sure = 0, unsure = 0) {
  const first = {
    message: '',
    created_at: '2026-01-31T12:00:00Z',
    resend_of: null,
    from_label: 1,
    products: ['A', 'B'],
  }
  return { id: 7, printer: 'zebra', state, labels: 120, labels_sure: sure, labels_unsure: unsure, ...first }
}

test('a job that has failed says why', () => {
  const failed = { ...job('failed'), message: 'labels of 12.0 x 8.0 mm are too small for A' }
  assert.equal(jobSays(failed), 'not printed: labels of 12.0 x 8.0 mm are too small for A')
})

test('each state of a job has its own words', () => {
  const states = ['waiting', 'sending', 'printed', 'sent', 'failed', 'cancelled', 'in_doubt']
  const says = states.map((state) => jobSays(job(state)))
  assert.equal(new Set(says).size, states.length)
  assert.ok(!says.some((words) => words.startsWith('job.')))
  assert.deepEqual(
    states.filter((state) => !isOver(job(state))),
    ['waiting', 'sending'],
  )
})

test('a job in doubt names the labels that are sure and those that are not', () => {
  assert.equal(
    jobSays(job('in_doubt', 50, 50)),
    'interrupted: 50 of 120 labels are printed, 51 to 100 may be. Please check the paper.',
  )
  assert.match(jobSays(job('in_doubt', 50, 1)), /label 51 may be/)
  assert.equal(jobSays(job('in_doubt', 50)), 'interrupted: 50 of 120 labels are printed.')
  assert.equal(jobSays(job('cancelled', 50)), 'cancelled after label 50 of 120')
})

test('the labels of a rest are counted as on paper', () => {
  const rest = (/** @type {string} */ state, sure = 0, unsure = 0) => ({ ...job(state, sure, unsure), from_label: 25 })
  assert.match(jobSays(rest('in_doubt', 12, 24)), /12 of 120 labels are printed, 37 to 60 may be/)
  assert.equal(jobSays(rest('cancelled', 12)), 'cancelled after label 36 of 144')
})

test('the labels of a rest go on with the numbers of the first job', () => {
  const broken = { ...job('in_doubt', 10, 5), labels: 48 }
  assert.deepEqual(paperNumbers({ ...broken, from_label: 13 }), { first: 13, last: 60, next: 23 })
  assert.deepEqual(paperNumbers(broken), { first: 1, last: 48, next: 11 })
  assert.equal(paperNumbers(job('printed', 120)).next, 1)
})

test('a job that was cancelled says so, and not that it broke off', () => {
  assert.match(jobSays(job('cancelled', 10, 40)), /^cancelled: 10 of 120 labels are printed, 11 to 50 may be/)
  const cancelling = { ...job('sending', 10, 40), isCancelling: true }
  assert.equal(jobSays(cancelling), 'is being cancelled; zebra still prints the labels that it has')
})

test('a job that is under way says how far it is, and what it waits for', () => {
  assert.equal(jobSays(job('sending', 50, 50), 'busy'), '50 of 120 printed')
  assert.equal(jobSays(job('sending', 50, 50), 'not_reachable'), '50 of 120 printed, waits until zebra answers')
  assert.equal(jobSays(job('waiting'), 'out_of_paper'), 'waits until zebra has paper')
  const states = ['out_of_paper', 'ribbon_out', 'head_open', 'paused', 'not_reachable']
  assert.equal(new Set(states.map((state) => waitsUntil('zebra', state))).size, states.length)
  assert.deepEqual(
    ['ready', 'busy', 'unknown', ''].map((state) => waitsUntil('zebra', state)),
    ['', '', '', ''],
  )
})

test('a request whose response is lost has the same key, even after the page is loaded again', () => {
  const key = keyOf('labels', 0)
  assert.equal(keyOf('labels', 600_000), key)
})

test('a second press has the same key, and a later one another', () => {
  const key = keyOf('labels', 0)
  markTaken(key, 100)
  assert.equal(keyOf('labels', 2000), key)
  markTaken(key, 2050)
  assert.notEqual(keyOf('labels', 2100), key)
})

test('a request without a response is forgotten after an hour', () => {
  const key = keyOf('labels', 0)
  assert.notEqual(keyOf('labels', 3_600_000), key)
})

test('other labels have another key', () => {
  assert.notEqual(keyOf('others', 0), keyOf('labels', 0))
})
