/** The screens of the kiosk, and their controls. */

import { number } from '../formats.js'
import { LabelPreview, SymbolPicture } from '../labels/preview.js'
import { sheetName } from '../labels/sheets.js'
import { text } from '../language.js'
import { PrinterState } from '../printers/watch.js'
import { Button, html, Icon, useEffect, useLayoutEffect, useRef, useSignal, useSignalEffect, ShopSign } from '../ui.js'
import { namesProduct, previewOf } from './address.js'
import { Needs, needsOf, Trouble } from './printer.js'
import { Step } from '../step.js'
import { clearCopies, copiesOf, eraseDigit, isTooMany, isWorthKeeping, MOST_COPIES, stepCopies } from './task.js'

/** Characters of a description within a sentence. */
const LONGEST = 32

/** Milliseconds that a scanned code is shown. */
const HEARD = 2500

/** @typedef {import('./view.js').Kiosk} Kiosk */
/** @typedef {import('./view.js').Screen} Screen */
/** @typedef {import('./task.js').Task} Task */

/** @type {{[Kind in Screen['kind']]: (props: any) => any}} */
const SCREENS = {
  start: Start,
  looking: Looking,
  message: Message,
  wrong: Wrong,
  task: TaskScreen,
  end: End,
  opening: Opening,
}

/** @param {{kiosk: Kiosk}} props */
export function KioskScreen({ kiosk }) {
  const screen = kiosk.screen.value
  const { kind } = screen
  const isBad = kind === 'message' || kind === 'wrong'
  return html`
    <section class="kiosk" data-state=${isBad ? 'bad' : kind === 'end' && screen.isGood ? 'good' : ''}>
      <header><${ShopSign} /><${Heard} heard=${kiosk.heard} /></header>
      <p class="unseen" role="status">${spokenOf(screen, kiosk)}</p>
      <${SCREENS[kind]} kiosk=${kiosk} ...${screen} />
      <${Foot} kiosk=${kiosk} />
    </section>`
}

/** What screen readers read of a screen. @type {(screen: Screen, kiosk: Kiosk) => string} */
function spokenOf(screen, kiosk) {
  if (screen.kind === 'start') return needsOf(kiosk.watch.value) || text('kiosk.scan')
  if (screen.kind === 'looking') return text('scan.looking')
  if (screen.kind === 'task') return screen.task.product.description
  if (screen.kind === 'wrong') return screen.problem.says
  return screen.kind === 'opening' ? text('labels.open') : screen.message
}

/** What the printer needs of a person; without that, one job that has failed; then the next scan. @param {{kiosk: Kiosk}} props */
function Start({ kiosk }) {
  const watch = kiosk.watch.value
  const job = watch?.unsettled.value.at(-1)
  if (watch && needsOf(watch)) return html`<div class="screen"><${Needs} watch=${watch} /></div>`
  const scan = text('kiosk.scan')
  return html`
    <div class="screen">
      ${
        watch && job
          ? html`<${Trouble} key=${job.id} kiosk=${kiosk} watch=${watch} job=${job} /><p>${scan}</p>`
          : html`<${Icon} name="scan" /><h1>${scan}</h1>`
      }
    </div>`
}

/** A scanned code whose product is not known yet. @param {{kiosk: Kiosk, code: string}} props */
function Looking({ kiosk, code }) {
  return html`
    <div class="screen">
      <h1><bdi class="code">${code}</bdi></h1>
      <p>${text('scan.looking')}</p>
      <${Button} onclick=${() => kiosk.cancel()}>${text('cancel')}<//>
    </div>`
}

/** @param {{kiosk: Kiosk, message: string}} props */
function Message({ kiosk, message }) {
  return html`
    <div class="screen">
      <h1><bdi>${message}</bdi></h1>
      <${Undo} kiosk=${kiosk} />
    </div>`
}

/** What is wrong with the address, and the names that it could have. @param {{problem: import('./address.js').Problem}} props */
function Wrong({ problem: { says, hint, known } }) {
  return html`
    <div class="screen">
      <h1><bdi>${says}</bdi></h1>
      <p>${text(hint)}</p>
      <p class="soft">${known.join(' · ') || '–'}</p>
    </div>`
}

/** What has become of a task that is over. @param {{task: Task, message: string, isGood: boolean}} props */
function End({ task, message, isGood }) {
  return html`
    <div class="screen">
      <${Icon} name=${isGood ? 'good' : 'waiting'} />
      <h1><bdi>${message}</bdi></h1>
      <p class="short"><bdi>${task.product.description} · ${text('labels.sum', { count: copiesOf(task) })}</bdi></p>
    </div>`
}

/** @param {{kiosk: Kiosk, task: Task}} props */
function Opening({ kiosk, task }) {
  return html`
    <div class="screen">
      <${Button} kind="main" onclick=${() => kiosk.openDocument(task)}>${text('labels.open')}<//>
    </div>`
}

/**
 * The label as it will be printed, in large, and its copies. A code that the symbology cannot encode has no copies, and a
 * task that may be printed keeps them.
 *
 * @param {{kiosk: Kiosk, task: Task, message: string, off: string}} props
 */
function TaskScreen({ kiosk, task, message, off }) {
  const print = useRef(/** @type {HTMLButtonElement | null} */ (null))
  const cancel = useRef(/** @type {HTMLButtonElement | null} */ (null))
  const { isRefused, sent } = task
  const problem = isTooMany(task) ? text('kiosk.too-many', { most: MOST_COPIES }) : message
  useLayoutEffect(() => {
    if (off) print.current?.blur()
    else if (isRefused) cancel.current?.focus()
    else if (document.activeElement === document.body) print.current?.focus()
  })
  return html`
    <div class="screen task" inert=${off === 'looking'}>
      <${Label} key=${task.product.product_code} kiosk=${kiosk} task=${task} />
      <div class="controls">
        ${!isRefused && html`<${Copies} kiosk=${kiosk} task=${task} isFixed=${sent !== null} />`}
        <p class="problem" role="alert">${problem}</p>
        ${
          !isRefused &&
          html`
          <button type="button" class="main" ref=${print} disabled=${off === 'printing'} onclick=${() => kiosk.press()}>
            ${text(off === 'printing' ? 'kiosk.printing' : 'labels.print')}
          </button>`
        }
        <button type="button" ref=${cancel} disabled=${off === 'printing'} onclick=${() => kiosk.cancel()}>
          ${text('cancel')}
        </button>
        ${!off && html`<${Undo} kiosk=${kiosk} />`}
      </div>
    </div>`
}

/** @param {{kiosk: Kiosk, task: Task, isFixed: boolean}} props */
function Copies({ kiosk, task, isFixed }) {
  const step = (/** @type {number} */ by) => () => kiosk.change((now) => stepCopies(now, by))
  const key = (/** @type {string} */ face, /** @type {() => void} */ press, /** @type {string} */ label = face) =>
    html`<button type="button" key=${face} aria-label=${label} onclick=${press}>${face}</button>`
  const digit = (/** @type {string} */ face) => key(face, () => void kiosk.type(face))
  const stay = (/** @type {Event} */ event) => event.preventDefault() // the focus stays at the button that prints
  if (isFixed) return html`<div class="copies"><output>${number(copiesOf(task))}</output></div>`
  return html`
    <div class="copies">
      <${Step} label=${text('labels.fewer')} sign="−" step=${step(-1)} />
      <output>${number(copiesOf(task))}</output>
      <${Step} label=${text('labels.more')} sign="+" step=${step(1)} />
    </div>
    <div class="keys" onmousedown=${stay}>
      ${[...'123456789'].map(digit)}
      ${key('C', () => kiosk.change(clearCopies), text('amount.clear'))}
      ${digit('0')}
      ${key('⌫', () => kiosk.change(eraseDigit), text('amount.erase'))}
    </div>`
}

/** Brings back the task that the last scan has replaced. @param {{kiosk: Kiosk}} props */
function Undo({ kiosk }) {
  const task = kiosk.replaced.value.find(isWorthKeeping)
  if (!task) return null
  const { description } = task.product
  const name =
    [...description].length > LONGEST ? `${[...description].slice(0, LONGEST).join('').trim()} …` : description
  const what = `${name} · ${text('labels.sum', { count: copiesOf(task) })}`
  return html`
    <div class="replaced">
      <bdi>${what}</bdi>
      <${Button} icon="undo" aria-label=${`${text('booking.undo')}: ${what}`} onclick=${() => kiosk.undo()}>${text('booking.undo')}<//>
    </div>`
}

/** The label as it is printed, or the symbol with what tells its product. @param {{kiosk: Kiosk, task: Task}} props */
function Label({ kiosk, task: { product } }) {
  const { found, wanted } = kiosk
  const order = previewOf(wanted, found.value, product)
  const refused = () => kiosk.change((now) => (now.product === product ? { ...now, isRefused: true } : now))
  return html`
    <div class="label">
      <div class="picture">
        ${
          order
            ? html`<${LabelPreview} order=${order} pause=${0} refused=${refused} />`
            : html`<${SymbolPicture} code=${product.product_code} symbology=${wanted.symbology} refused=${refused} />`
        }
      </div>
      ${!order && found.value?.isMatrix && html`<p class="code"><bdi>${product.product_code}</bdi></p>`}
      <h1 class=${order && namesProduct(order) ? 'unseen' : 'short'}><bdi>${product.description}</bdi></h1>
    </div>`
}

/** Shows for a moment what the scanner sent. Screen readers read the result instead. @param {{heard: Kiosk['heard']}} props */
function Heard({ heard }) {
  const node = useRef(/** @type {HTMLParagraphElement | null} */ (null))
  useSignalEffect(() => {
    if (!heard.value.at) return
    for (const animation of node.current?.getAnimations() ?? []) animation.cancel()
    node.current?.animate({ opacity: [1, 1, 0], offset: [0, 0.8, 1] }, HEARD)
  })
  return html`
    <p class="heard" ref=${node} aria-hidden="true"><${Icon} name="scan" /><bdi class="code">${heard.value.code}</bdi></p>`
}

/** The state of the printer, what is printed on, and the button that fills the screen. @param {{kiosk: Kiosk}} props */
function Foot({ kiosk: { watch, found, wanted } }) {
  const { sheet = null, problem = null } = found.value ?? {}
  const isFull = useSignal(document.fullscreenElement !== null)
  const fill = () => void document.documentElement.requestFullscreen().catch(() => undefined)
  useEffect(() => {
    const show = () => (isFull.value = document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', show)
    return () => document.removeEventListener('fullscreenchange', show)
  }, [])
  return html`
    <footer>
      ${watch.value && html`<${PrinterState} watch=${watch.value} />`}
      <span class="soft">${!problem && [wanted.layout, sheet && sheetName(sheet)].filter(Boolean).join(' · ')}</span>
      ${
        document.fullscreenEnabled &&
        !isFull.value &&
        html`<${Button} kind="text" onclick=${fill}>${text('kiosk.full-screen')}<//>`
      }
    </footer>`
}
