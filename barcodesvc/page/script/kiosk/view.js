/**
 * One task for one screen: scan, copies, print, done. `#kiosk?sheet=L7160` names the sheet, `#kiosk?layout=shelf` a saved
 * layout, and `&printer=zebra` a printer of the service. Anything else comes from this device's settings.
 *
 * Rule: one action on the screen, few controls, no links. Only the address bar leaves it: the button, key or gesture for
 * "back" stays here.
 */

import { number } from '../formats.js'
import { alone } from '../labels/orders.js'
import { LabelPreview } from '../labels/preview.js'
import { sheetName, UNNAMED } from '../labels/sheets.js'
import { text } from '../language.js'
import { PrinterState } from '../printers/watch.js'
import { bad } from '../sounds.js'
import { Step } from '../step.js'
import { Button, html, Icon, ShopSign, useLayoutEffect, useRef, useSignalEffect, viewOf } from '../ui.js'
import { keepScreenOn } from '../while_visible.js'
import { orderOf, wantedBy } from './address.js'
import * as actions from './kiosk.js'
import { Needs, needsOf, Trouble } from './printer.js'
import { beginTask, clearCopies, copiesOf, eraseDigit, isTooMany, MOST_COPIES, stepCopies } from './task.js'

/** @import {Watch} from '../printers/watch.js' */
/** @import {Kiosk, Says} from './kiosk.js' */
/** @import {Task} from './task.js' */

/** @type {(route: import('../router.js').Route) => import('../router.js').View} */
export function open({ query }) {
  const ended = new AbortController()
  const { signal } = ended
  const kiosk = actions.kioskOf(wantedBy(query), signal)
  const stay = () => history.pushState(null, '', location.href)
  stay()
  window.addEventListener('popstate', stay, { signal })
  window.addEventListener('keydown', (event) => actions.pressKey(kiosk, event), { capture: true, signal })
  keepScreenOn(signal)
  return viewOf(html`<${KioskScreen} kiosk=${kiosk} />`, {
    title: text('labels.print-these'),
    scan: (code) => actions.scan(kiosk, code),
    type: (typed) => actions.type(kiosk, typed),
    takeBack: (typed) => actions.takeBack(kiosk, typed),
    isIdle: () => actions.isIdle(kiosk),
    close: () => (actions.cancel(kiosk), ended.abort()),
  })
}

/** @param {{kiosk: Kiosk}} props */
function KioskScreen({ kiosk }) {
  const [{ value: screen }, { value: heard }, { value: watch }] = [kiosk.screen, kiosk.heard, kiosk.watch]
  const says = kiosk.found.value?.problem ?? (screen.kind === 'says' ? screen : null)
  const task = screen.kind === 'task' ? screen : null
  useSignalEffect(() => void (kiosk.watch.value?.broken.value.length && bad()))
  return html`
    <section class="kiosk" data-state=${says?.tone} onpointerdown=${() => actions.expectInput(kiosk)}>
      <header>
        <${ShopSign} />
        ${heard.at > 0 && html`<p key=${heard.at} class="heard" aria-hidden="true"><${Icon} name="scan" /><bdi class="code">${heard.code}</bdi></p>`}
      </header>
      <p class="unseen" role="status">${says?.title ?? task?.task.product.description ?? (needsOf(watch) || text('kiosk.scan'))}</p>
      ${says ? html`<${Message} kiosk=${kiosk} says=${says} />` : task ? html`<${TaskScreen} kiosk=${kiosk} ...${task} />` : html`<${Start} watch=${watch} />`}
      <${Foot} kiosk=${kiosk} />
    </section>`
}

/** What the printer needs of a person; without that, one job that has failed; then the next scan. @param {{watch: Watch | null}} props */
function Start({ watch }) {
  const job = watch?.unsettled.value.at(-1)
  const scan = text('kiosk.scan')
  if (watch && needsOf(watch)) return html`<div class="screen"><${Needs} watch=${watch} /></div>`
  if (watch && job)
    return html`<div class="screen"><${Trouble} key=${job.id} watch=${watch} job=${job} /><p>${scan}</p></div>`
  return html`<div class="screen"><${Icon} name="scan" /><h1>${scan}</h1></div>`
}

/** @param {{kiosk: Kiosk, says: Says}} props */
function Message({ kiosk, says: { title, tone, icon, line, press } }) {
  return html`
    <div class="screen">
      ${icon && html`<${Icon} name=${icon} />`}
      <h1><bdi>${title}</bdi></h1>
      ${line && html`<p class="short"><bdi>${line}</bdi></p>`}
      ${press && html`<${Button} kind=${press.isMain ? 'main' : ''} onclick=${press.act}>${press.label}<//>`}
      ${tone === 'bad' && html`<${Undo} kiosk=${kiosk} />`}
    </div>`
}

/** The label as it will be printed, in large, and its copies: none for a code that the symbology cannot encode. @param {{kiosk: Kiosk, task: Task, message: string, off: string}} props */
function TaskScreen({ kiosk, task, message, off }) {
  const print = useRef(/** @type {HTMLButtonElement | null} */ (null))
  const cancel = useRef(/** @type {HTMLButtonElement | null} */ (null))
  const { isRefused } = task
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
        ${!isRefused && html`<${Copies} kiosk=${kiosk} task=${task} />`}
        <p class="problem" role="alert">${problem}</p>
        ${
          !isRefused &&
          html`
          <button type="button" class="main" ref=${print} disabled=${off === 'printing'} onclick=${() => actions.printNow(kiosk)}>
            ${text(off === 'printing' ? 'kiosk.printing' : 'labels.print')}
          </button>`
        }
        <button type="button" ref=${cancel} disabled=${off === 'printing'} onclick=${() => actions.cancel(kiosk)}>${text('cancel')}</button>
        ${!off && html`<${Undo} kiosk=${kiosk} />`}
      </div>
    </div>`
}

/** The copies; those of a task that may be printed stay. @param {{kiosk: Kiosk, task: Task}} props */
function Copies({ kiosk, task }) {
  const step = (/** @type {number} */ by) => () => actions.change(kiosk, (now) => stepCopies(now, by))
  const key = (/** @type {string} */ face, /** @type {() => void} */ press, /** @type {string} */ label = face) =>
    html`<button type="button" key=${face} aria-label=${label} onclick=${press}>${face}</button>`
  const digit = (/** @type {string} */ face) => key(face, () => void actions.type(kiosk, face))
  const stay = (/** @type {Event} */ event) => event.preventDefault() // the focus stays at the button that prints
  if (task.sent) return html`<div class="copies"><output>${number(copiesOf(task))}</output></div>`
  return html`
    <div class="copies">
      <${Step} label=${text('labels.fewer')} sign="−" step=${step(-1)} />
      <output>${number(copiesOf(task))}</output>
      <${Step} label=${text('labels.more')} sign="+" step=${step(1)} />
    </div>
    <div class="keys" onmousedown=${stay}>
      ${[...'123456789'].map(digit)}
      ${key('C', () => actions.change(kiosk, clearCopies), text('amount.clear'))}
      ${digit('0')}
      ${key('⌫', () => actions.change(kiosk, eraseDigit), text('amount.erase'))}
    </div>`
}

/** Brings back the task that the last scan has replaced. @param {{kiosk: Kiosk}} props */
function Undo({ kiosk }) {
  const task = kiosk.last.value
  if (!task) return null
  const sum = text('labels.sum', { count: copiesOf(task) })
  const { description } = task.product
  return html`
    <div class="replaced">
      <p class="row"><bdi>${description}</bdi><span>· ${sum}</span></p>
      <${Button} icon="undo" aria-label=${`${text('booking.undo')}: ${description} · ${sum}`} onclick=${() => actions.undo(kiosk)}>${text('booking.undo')}<//>
    </div>`
}

/** The label as it is printed, and its product, unless the label names it. @param {{kiosk: Kiosk, task: Task}} props */
function Label({ kiosk, task: { product } }) {
  const { found, wanted } = kiosk
  if (!found.value) return null
  const order = alone(orderOf(wanted.symbology, found.value, beginTask(product, '')), found.value.sheet ?? UNNAMED)
  const isNamed = order.layout['include_description'] === true || JSON.stringify(order.layout).includes('{description}')
  const refused = () => actions.change(kiosk, (now) => (now.product === product ? { ...now, isRefused: true } : now))
  return html`
    <div class="label">
      <div class="picture"><${LabelPreview} order=${order} pause=${0} refused=${refused} /></div>
      <h1 class=${isNamed ? 'unseen' : 'short'}><bdi>${product.description}</bdi></h1>
    </div>`
}

/** The state of the printer, what is printed on, and the button that fills the screen. @param {{kiosk: Kiosk}} props */
function Foot({ kiosk: { watch, found, wanted } }) {
  const { sheet = null, problem = null } = found.value ?? {}
  const fill = () => void document.documentElement.requestFullscreen().catch(() => undefined)
  return html`
    <footer>
      ${watch.value && html`<${PrinterState} watch=${watch.value} />`}
      <span class="soft">${!problem && [wanted.layout, sheet && sheetName(sheet)].filter(Boolean).join(' · ')}</span>
      ${document.fullscreenEnabled && html`<${Button} kind="text" onclick=${fill}>${text('kiosk.full-screen')}<//>`}
    </footer>`
}
