/**
 * The stock changes of this device as signals: the one way to change a level, `book`, and what became of it. It works offline.
 *
 * Rule: the queue decides. A booking that has not changed stays the same object, so that its line is not drawn again.
 */

import { NotLoaded } from '../api.js'
import { text } from '../language.js'
import { fillsScreen } from '../router.js'
import { settings } from '../settings.js'
import { batch, computed, effect, signal } from '../ui.js'
import { discarded, isSettled, isUnsent, levelAfter, newBooking, takenBack, waitingAgain } from './booking.js'
import { bookings, opened } from './sending.js'

export { isUnsent }

/** @typedef {import('../types.js').Booking} Booking */

/** Settled bookings in the list; earlier ones are in the history of their products. */
const SHOWN = 50

/** The bookings of this device, newest first: the last settled ones, and all others. */
export const listed = signal(/** @type {readonly Booking[]} */ ([]))

/** What the service refused, and a person has to decide. */
export const refused = computed(() => listed.value.filter(({ state }) => state === 'refused'))

/** How many bookings, or undos of bookings, wait to be sent. */
export const unsent = computed(() => listed.value.filter(isUnsent).length)

/** Whether a person wants to see the list of stock changes, which then comes into sight. */
export const isListWanted = signal(false)

/** Whether the last attempt to send has failed, and why. */
export const isPaused = signal(false)
export const obstacle = signal(/** @type {Error | null} */ (null))

/** How many bookings cannot be sent. */
export const stuck = computed(() => (isPaused.value ? unsent.value : 0))

/** Who books: the name of the settings, or else the web app, because the service's `system` is no person. */
export const authorName = () => settings.author.value || text('author.device')

/** Return a level of a product with the bookings of this device that the service has not counted yet. @param {Map<string, number>} packs the codes of the product, with the pieces of each @param {number} level as the service has counted */
export function levelWithUnsent(packs, level) {
  const its = listed.value.filter((booking) => isUnsent(booking) && packs.has(booking.code.trim())).reverse()
  return levelAfter(
    level,
    its.map((booking) => ({ ...booking, delta: (booking.delta ?? 0) * (packs.get(booking.code.trim()) ?? 1) })),
  )
}

/** Store a change of a level on this device, and send it as soon as possible. @param {import('../types.js').Change} change @throws {Error} which `whyNotStored` says */
export async function book(change) {
  const now = new Date()
  const { queue } = await bookings()
  return queue.add(newBooking({ ...change, author: authorName() }, now))
}

/** Return why a booking is not stored in this browser. @param {unknown} error */
export function whyNotStored(error) {
  if (error instanceof NotLoaded) return error.message
  const { name } = /** @type {Error} */ (error)
  if (name === 'QuotaExceededError') return text('scan.full')
  return text(name === 'VersionError' ? 'newer' : 'scan.no-storage')
}

/** Take a booking back, or discard a refused one. @param {number} id */
export const undo = (id) => decide([id], (booking) => takenBack(booking, authorName()))

/** Send a refused booking again. @param {number} id @param {string} [code] of the product that was created for it */
export const retry = (id, code) => decide([id], (booking) => waitingAgain(booking, code))

export const retryAll = () => decide(idsOfRefused(), (booking) => waitingAgain(booking))

export const discardAll = () => decide(idsOfRefused(), discarded)

const idsOfRefused = () => refused.peek().map(({ id }) => id)

/** @param {number[]} ids @param {(booking: Booking) => Booking} change */
async function decide(ids, change) {
  await (await bookings()).queue.decide(ids, change)
}

/** Follow a queue from now on. @param {import('./sending.js').Bookings} bookings */
export async function follow({ queue, storage }) {
  const pause = () => batch(() => ((isPaused.value = queue.paused), (obstacle.value = queue.obstacle)))
  for (const type of ['change', 'elsewhere'])
    queue.addEventListener(type, (event) => list(/** @type {CustomEvent} */ (event).detail))
  queue.addEventListener('pause', pause)
  pause()
  const kept = await storage.listed(SHOWN).catch(() => [])
  const known = new Set(listed.peek().map(({ id }) => id))
  list(kept.filter(({ id }) => !known.has(id)))
}

/** @param {Booking[]} changed */
function list(changed) {
  const all = new Map([...listed.peek(), ...changed].map((booking) => [booking.id, booking]))
  let settled = 0
  listed.value = [...all.values()]
    .sort((one, other) => other.id - one.id)
    .filter((booking) => !isSettled(booking) || ++settled <= SHOWN)
}

/** Settled once the bookings of earlier visits are listed; waiting for this opens nothing. */
export const followed = opened.then(follow)

/**
 * Remind people of bookings that cannot be sent: by a number on the app's icon, and by a question before the window closes.
 * The browser is asked to send them without the page (Background Sync). @param {number} count
 */
function remind(count) {
  const { setAppBadge, clearAppBadge } = navigator
  const badge = count ? setAppBadge?.call(navigator, count) : clearAppBadge?.call(navigator)
  badge?.catch(() => undefined) // no icon has a badge here
  if (!count) return window.removeEventListener('beforeunload', askBeforeClosing)
  window.addEventListener('beforeunload', askBeforeClosing)
  void askToSend().catch(() => undefined) // it is sent when the page is open again
}

/** @param {Event} event */
function askBeforeClosing(event) {
  if (!fillsScreen(document.body.dataset['view'])) event.preventDefault()
}

/** Have the browser call the service worker when there is a network again, if it can. */
async function askToSend() {
  const registration = /** @type {any} */ (await navigator.serviceWorker?.getRegistration())
  await registration?.sync?.register('bookings')
}

void followed.then(() => effect(() => remind(stuck.value)))
