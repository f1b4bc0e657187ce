import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import './pretended_document.js'

import { JobWatch } from '../../barcodesvc/page/script/printers/job_watch.js'
import {
  codesOfJob,
  isBad,
  isOver,
  jobSays,
  nextLabel,
  paperNumbers,
  waitsUntil,
} from '../../barcodesvc/page/script/printers/job_words.js'
import { speak, speakOfLabels } from '../../barcodesvc/page/script/language.js'
import { orderFor } from '../../barcodesvc/page/script/printers/printers.js'
import { printRequest } from '../../barcodesvc/page/script/labels/printing.js'
import { change, DEFAULTS } from '../../barcodesvc/page/script/settings.js'
import { pretendStorage } from './pretended_storage.js'

await speak('en')
await speakOfLabels()

const stored = pretendStorage('localStorage')
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
  assert.deepEqual(
    states.filter((state) => isBad(job(state))),
    ['failed', 'in_doubt'],
  )
})

test('a job in doubt names the labels that are sure and those that are not', () => {
  assert.equal(
    jobSays(job('in_doubt', 50, 50)),
    'broken off: 50 of 120 labels are printed, labels 51 to 100 perhaps. Please look at the paper.',
  )
  assert.match(jobSays(job('in_doubt', 50, 1)), /label 51 perhaps/)
  assert.equal(jobSays(job('in_doubt', 50)), 'broken off: 50 of 120 labels are printed.')
  assert.equal(jobSays(job('cancelled', 50)), 'cancelled after label 50 of 120')
})

test('the labels of a rest are counted as on paper', () => {
  const rest = (/** @type {string} */ state, sure = 0, unsure = 0) => ({ ...job(state, sure, unsure), from_label: 25 })
  assert.match(jobSays(rest('in_doubt', 12, 24)), /12 of 120 labels are printed, labels 37 to 60 perhaps/)
  assert.equal(jobSays(rest('cancelled', 12)), 'cancelled after label 36 of 144')
})

test('the labels of a rest go on with the numbers of the first job', () => {
  const broken = { ...job('in_doubt', 10, 5), labels: 48 }
  assert.deepEqual(paperNumbers({ ...broken, from_label: 13 }), { first: 13, last: 60, next: 23 })
  assert.deepEqual(paperNumbers(broken), { first: 1, last: 48, next: 11 })
})

test('a job that was cancelled says so, and not that it broke off', () => {
  assert.match(jobSays(job('cancelled', 10, 40)), /^cancelled: 10 of 120 labels are printed, labels 11 to 50 perhaps/)
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

test('a job is printed again from the first label that is not sure, and a whole one from the first', () => {
  assert.deepEqual([job('in_doubt', 50, 50), job('failed'), job('printed', 120)].map(nextLabel), [51, 1, 1])
})

/**
 * Return the jobs that a watch tells to be over, and how many it has asked for.
 *
 * @param {JobWatch} watch
 * @param {(ReturnType<typeof job> & {id: number})[]} jobs as the service has them
 */
async function told(watch, jobs) {
  /** @type {number[]} */
  const over = []
  let asked = 0
  const lookUp = (/** @type {{id: number}} */ { id }) => (
    asked++,
    Promise.resolve(jobs.find((each) => each.id === id) ?? null)
  )
  await watch.look(lookUp, ({ id }) => over.push(id))
  return { over, asked }
}

test('a job is watched until it is over, and told once, also by the page that is loaded after that', async () => {
  new JobWatch('labels').follow(job('waiting'))
  const watch = new JobWatch('labels')
  assert.deepEqual(await told(watch, [job('sending')]), { over: [], asked: 1 })
  assert.deepEqual(await told(watch, [job('in_doubt')]), { over: [7], asked: 1 })
  assert.deepEqual(await told(watch, [job('in_doubt')]), { over: [], asked: 0 })
  assert.equal(new JobWatch('kiosk').size, 0)
})

test('only the oldest job of each printer is asked for, until it is over', async () => {
  const watch = new JobWatch('labels')
  const jobs = [1, 2, 3].map((id) => ({ ...job('waiting'), id }))
  for (const each of [...jobs, { ...job('waiting'), id: 4, printer: 'dymo' }]) watch.follow(each)
  assert.deepEqual(await told(watch, [...jobs, { ...job('waiting'), id: 4 }]), { over: [], asked: 2 })
  const later = [job('failed'), job('printed'), job('waiting'), job('failed')].map((each, at) => ({
    ...each,
    id: at + 1,
  }))
  assert.deepEqual(await told(watch, later), { over: [1, 2, 4], asked: 4 })
  assert.equal(watch.size, 1)
})

test('a job that no longer exists is not watched, and neither are more than 50', async () => {
  const watch = new JobWatch('labels')
  for (let id = 1; id <= 60; id++) watch.follow({ ...job('waiting'), id })
  assert.equal(watch.size, 50)
  assert.deepEqual(await told(watch, []), { over: [], asked: 50 })
  assert.equal(watch.size, 0)
})

test('a job is called by the codes of its products', () => {
  assert.equal(codesOfJob(job('printed')), 'A, B')
})

test('what is in the printer replaces the sheet, and this device corrects nothing', () => {
  change({ offsetX: 3 })
  const layout = { sheet: 'L7160', label_width: 60, dpi: 600, image: { name: 'logo', width: 9 } }
  const order = { products: [{ code: 'A', copies: 1 }], symbology: 'best', sheet: 'L7160', first: 1, layout }
  const printer = { name: 'zebra', kind: 'zpl', label: '50x30mm', dpi: 203, state: 'ready', jobs_waiting: 0 }
  assert.deepEqual(printRequest(orderFor(order, printer)).layout, {
    sheet: '50x30mm',
    start_position: 1,
    dpi: 203,
    image: layout.image,
  })
  change(DEFAULTS)
})
