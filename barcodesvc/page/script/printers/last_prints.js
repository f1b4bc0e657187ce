/** What was printed last, the newest first, each with a button that prints it again: on this device, or on a printer. */

import { element, keyed } from '../dom.js'
import { moment } from '../formats.js'
import { lastOrders } from '../labels/last_orders.js'
import { text } from '../language.js'
import { codesOf, countOf } from '../labels/order_words.js'
import { jobRow } from './job_row.js'

/** @typedef {import('../labels/printing.js').Order} Order */
/** @typedef {import('./job_row.js').Shown} Shown */

/**
 * @param {(order: Order) => void} again prints an order again on this device
 * @param {import('./job_row.js').JobActions} actions
 */
export function lastPrints(again, actions) {
  const list = element('ul', { class: 'prints' })
  const title = element('h2')
  const node = element('section', { class: 'card last-prints' }, title, list)

  /** @param {import('../labels/last_orders.js').Printed} printed */
  function orderRow({ order, at }) {
    const says = element(
      'div',
      { class: 'grow' },
      element('div', null, `${moment(at)} · ${text('labels.sum', { count: countOf(order) })}`),
      element('bdi', { class: 'soft' }, [codesOf(order), order.sheet].filter(Boolean).join(' · ')),
    )
    const button = element('button', { type: 'button', onclick: () => again(order) }, text('prints.again'))
    return element('li', { class: 'row apart' }, says, button)
  }

  /** The printer whose jobs are shown; empty for this device. */
  let printer = ''

  return {
    node,
    /** Show the last orders of this device. */
    showOrders() {
      const orders = lastOrders()
      printer = ''
      title.textContent = text('prints.title')
      node.hidden = orders.length === 0
      keyed(
        list,
        orders,
        ({ at }) => at,
        (printed, existing) => existing ?? orderRow(printed),
      )
    },
    /**
     * Show a printer; its jobs follow.
     *
     * @param {string} name
     */
    showPrinter(name) {
      if (name === printer) return
      printer = name
      title.textContent = text('prints.of', { name })
      node.hidden = true
    },
    /**
     * Show jobs of the printer.
     *
     * @param {Shown[]} jobs
     */
    showJobs(jobs) {
      node.hidden = jobs.length === 0
      keyed(
        list,
        jobs,
        ({ job, says, needs, rest }) => [printer, job.id, says, needs, rest?.id, job.isCancelling].join(),
        (shown, existing) => existing ?? jobRow(shown, actions),
      )
    },
  }
}
