/**
 * The state of things, on top of every view: whether the service can be reached, what waits or was refused, what is wrong
 * with the printer, and who works here. Without it people would look for each of these in another view.
 *
 * Rule: it says what needs a person; what is well takes no room. This is the one place that asks for a name, which is on
 * every stock change of this device.
 */

import { ask, LIMITS, Unreachable } from './api.js'
import { isListWanted, isPaused, obstacle, refused, unsent } from './bookings/store.js'
import { text } from './language.js'
import { printerSays, waitsUntil } from './printers/state.js'
import { watchCodes } from './scanner/typed_codes.js'
import { settings } from './settings.js'
import { shown } from './frame.js'
import { START } from './router.js'
import { Button, Field, html, Icon, signal, useEffect, useRef, useSignal } from './ui.js'
import { Dialog } from './in_front.js'
import { whileVisible } from './while_visible.js'

/** Milliseconds between two looks at the service. */
const EVERY = 30_000

const isOnline = signal(navigator.onLine)

/** The printer of this device, if it needs a person. */
const stopped = signal(/** @type {import('./types.js').Printer | null} */ (null))

/** Whether the name is asked for. */
const isAsking = signal(false)

/** Ask for the name of who works here. */
const askName = () => void (isAsking.value = true)

export function States() {
  useEffect(watchService, [])
  const isReached = isOnline.value && !(isPaused.value && obstacle.value instanceof Unreachable)
  return html`
    <div class="states" role="group" aria-label=${text('status')}>
      <${Reached} is=${isReached} />
      <${Changes} kind="wait" icon="waiting" of="bookings.waiting" count=${unsent.value} press=${showList} />
      <${Changes} kind="bad" icon="bad" of="bookings.refused" count=${refused.value.length} press=${showList} />
      ${stopped.value && html`<${Stopped} printer=${stopped.value} />`}
      <button type="button" class="state person" onclick=${askName}>
        <${Icon} name="person" /><span class="unseen">${text('settings.author')}</span>
        <bdi>${settings.author.value || text('author.title')}</bdi>
      </button>
    </div>
    ${isAsking.value && html`<${NameDialog} />`}`
}

/** Show the list of stock changes. */
function showList() {
  if (shown.peek()?.name !== START) location.hash = START
  isListWanted.value = true
}

/** @param {{is: boolean}} props */
function Reached({ is }) {
  return html`
    <span class="state ${is ? 'good' : 'wait'}" role="status" title=${is ? undefined : text('bookings.resting')}>
      <${Icon} name=${is ? 'online' : 'offline'} /><span class="words">${text(is ? 'status.online' : 'status.offline')}</span>
    </span>`
}

/** @param {{kind: string, icon: string, of: string, count: number, press: () => void}} props */
function Changes({ kind, icon, of, count, press }) {
  if (count === 0) return null
  const says = text(of, { count })
  return html`
    <button type="button" class="state ${kind}" aria-label=${says} title=${says} onclick=${press}>
      <${Icon} name=${icon} /><b>${count}</b>
    </button>`
}

/** @param {{printer: import('./types.js').Printer}} props */
function Stopped({ printer }) {
  const says = printerSays(printer)
  return html`
    <a class="state bad" href="#labels" aria-label=${says} title=${says}>
      <${Icon} name="print" /><span class="words">${printer.name}</span>
    </a>`
}

function NameDialog() {
  const [name, problem] = [useSignal(settings.author.peek()), useSignal('')]
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  const codes = useRef(/** @type {ReturnType<typeof watchCodes> | null} */ (null))
  useEffect(() => {
    if (field.current) codes.current = watchCodes(field.current)
    field.current?.select()
  }, [])
  const close = () => void (isAsking.value = false)
  const save = (/** @type {Event} */ event) => {
    event.preventDefault()
    const code = codes.current?.ask()
    if (code) problem.value = text('product.scanned', { code, field: text('settings.author') })
    else {
      settings.author.value = name.value.trim()
      close()
    }
  }
  return html`
    <${Dialog} title=${text('author.title')} closed=${close} data-stays>
      <form onsubmit=${save}>
        <${Field} label=${text('settings.author')} value=${name} field=${field} problem=${problem.value}
          hint=${text('author.why')} autocomplete="name" maxlength=${LIMITS.author} />
        <div class="row apart">
          <${Button} kind="text" onclick=${close}>${text('cancel')}<//>
          <button class="main">${text('save')}</button>
        </div>
      </form>
    <//>`
}

/** Look at the service, and at the printer of this device, for as long as the page is looked at. */
function watchService() {
  const ended = new AbortController()
  const { signal: until } = ended
  const note = () => void (isOnline.value = navigator.onLine)
  for (const type of ['online', 'offline']) window.addEventListener(type, note, { signal: until })
  const look = () => lookAtService(until)
  whileVisible(look, until, EVERY)
  void look()
  return () => ended.abort()
}

/** @param {AbortSignal} until */
async function lookAtService(until) {
  try {
    /** @type {import('./types.js').Printer[]} */
    const printers = await ask('GET', '/api/printers', { signal: until, isQuiet: true })
    const own = printers.find(({ name }) => name === settings.printer.peek()) ?? null
    stopped.value = own && waitsUntil(own.name, own.state) ? own : null
    isOnline.value = true
  } catch (error) {
    isOnline.value = !(error instanceof Unreachable) && navigator.onLine
  }
}
