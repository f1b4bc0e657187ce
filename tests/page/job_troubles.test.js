import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'

import './pretended_document.js'

import {
  forgetTroubles,
  noteJobs,
  noteJobsOfKiosk,
  settle,
  troublesOf,
  troublesOfKiosk,
} from '../../barcodesvc/page/script/printers/job_troubles.js'
import { pretendStorage } from './pretended_storage.js'

const stored = pretendStorage('localStorage')
beforeEach(() => stored.clear())

/**
 * @param {number} id
 * @param {string} state
 * @param {number | null} [resend_of]
 */
function job(id, state, resend_of = null) {
  const counts = { labels: 9, labels_sure: 0, labels_unsure: 0, message: '' }
  return {
    id,
    printer: 'zebra',
    state,
    ...counts,
    created_at: '2026-01-31T12:00:00Z',
    from_label: 1,
    products: [],
    resend_of,
  }
}

/** @param {string} [printer] */
function open(printer = 'zebra') {
  return troublesOf(printer).map(({ id }) => id)
}

test('jobs that failed or are in doubt remain, however many follow', () => {
  noteJobs([job(3, 'failed'), job(2, 'in_doubt'), job(1, 'printed')])
  noteJobs([job(9, 'printed'), job(8, 'waiting')])
  assert.deepEqual([open(), open('dymo')], [[3, 2], []])
})

test('a job that was printed again, or put aside, is not kept, also if it is listed later', () => {
  noteJobs([job(3, 'failed'), job(2, 'in_doubt'), job(1, 'failed')])
  settle(job(3, 'failed'))
  noteJobs([job(4, 'waiting', 2), job(3, 'failed'), job(2, 'in_doubt'), job(1, 'failed')])
  assert.deepEqual(open(), [1])
  forgetTroubles()
  assert.deepEqual(open(), [])
})

test('at most 20 are kept, the newest', () => {
  noteJobs(Array.from({ length: 30 }, (_, at) => job(at + 1, 'failed')))
  assert.deepEqual([open().length, open()[0], open()[19]], [20, 30, 11])
})

test('those of the kiosk remain however many others are noted, and also when others list them, until they are settled', () => {
  noteJobs([job(1, 'failed'), job(2, 'failed')])
  noteJobsOfKiosk([job(1, 'failed')])
  noteJobsOfKiosk([job(3, 'in_doubt'), job(4, 'printed')])
  noteJobs(Array.from({ length: 30 }, (_, at) => job(at + 1, 'failed')))
  const ofKiosk = () => troublesOfKiosk('zebra').map(({ id }) => id)
  assert.deepEqual([ofKiosk(), open().length], [[1, 3], 22])
  settle(job(1, 'failed'))
  noteJobs([job(40, 'printed', 3)])
  assert.deepEqual([ofKiosk(), troublesOfKiosk('dymo')], [[], []])
})
