/** Says that something loads, once it takes longer than a look. */

import { element } from './dom.js'
import { text } from './language.js'

/** Milliseconds after which it is said. */
const LONG = 1000

/**
 * Return what a request returns; while it takes long, say so at the top of the part of the page that waits for it.
 *
 * @template Found
 * @param {Element} node
 * @param {Promise<Found>} request
 * @returns {Promise<Found>}
 */
export async function whileLoading(node, request) {
  const says = element('p', { class: 'soft', role: 'status' })
  const timer = setTimeout(() => {
    node.prepend(says)
    says.textContent = text('loading')
  }, LONG)
  try {
    return await request
  } finally {
    clearTimeout(timer)
    says.remove()
  }
}
