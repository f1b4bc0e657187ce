/**
 * The start view: a scan shows its product, and in the other modes changes its level.
 *
 * Rule: the empty view needs few bytes. What a scan leads to (`desk.js`), with its components and texts, is loaded when it
 * is first needed; scans made meanwhile wait, in their order. The mode is in the address, or else the last one of this tab.
 */

import { LIMITS } from '../api.js'
import { bookings, opened } from '../bookings/sending.js'
import { CameraPanel, openCamera } from '../camera/panel.js'
import { announce, openDialog } from '../in_front.js'
import { loadFurtherTexts, text } from '../language.js'
import { keptValue } from '../settings.js'
import { bad } from '../sounds.js'
import { effect, html, Icon, Segments, signal, useEffect, useRef, viewOf } from '../ui.js'
import { needed } from '../service.js'

/** @typedef {import('../types.js').Mode} Mode */
/** @typedef {import('../types.js').Signal<Mode>} ModeSignal */
/** @typedef {{desk: import('./desk.js').Desk, at: typeof import('./desk.js')} & typeof import('./panel.js') & typeof import('./pad.js') & typeof import('./list.js')} Loaded */
/** @typedef {import('../types.js').Signal<Loaded | null>} LoadedSignal */

/** In this order; each names its symbol, too. @type {Mode[]} */
const MODES = ['look-up', 'put-in', 'take-out', 'set']

/** The mode that was chosen last in this tab. */
const kept = keptValue('sessionStorage', 'barcodesvc.mode')

const partsAndTexts = () =>
  Promise.all([import('./desk.js'), import('./panel.js'), import('./pad.js'), import('./list.js'), loadFurtherTexts()])

/** @param {import('../router.js').Route} route @returns {Promise<import('../router.js').View>} */
export async function open({ query }) {
  const mode = signal(
    // an address with another word than these must not go on adding
    MODES.find((each) => each === (query.get('mode') ?? kept.read())) ?? 'look-up',
  )
  const loaded = /** @type {LoadedSignal} */ (signal(null))
  const ended = new AbortController()
  /** @type {Promise<Loaded> | null} */
  let loading = null

  function load() {
    loading ??= needed(partsAndTexts()).then(([at, ...parts]) => {
      const desk = at.newDesk(mode.value, ended.signal)
      return (loaded.value = Object.assign({ at, desk }, ...parts))
    })
    return loading
  }

  /** @param {(loaded: Loaded) => void} action */
  function use(action) {
    if (ended.signal.aborted) return
    if (loaded.value) return void action(loaded.value)
    load().then(action, ({ message }) => {
      loading = null
      bad()
      announce(message, 'bad')
    })
  }

  /** @param {Mode} chosen which the desk learns after the scans so far */
  function choose(chosen) {
    mode.value = chosen
    kept.store(chosen)
    history.replaceState(null, '', chosen === 'look-up' ? '#scan' : `#scan?mode=${chosen}`)
    use(({ at, desk }) => {
      at.choose(desk, chosen)
      bookings().catch(() => at.say(desk, 'bad', text('scan.no-storage')))
    })
  }

  /** @param {string} typed */
  function type(typed) {
    if (openDialog()) return false
    let isUsed = true
    use(({ at, desk }) => void (isUsed = at.typeIn(desk, typed)))
    return isUsed
  }

  const scan = (/** @type {string} */ code, /** @type {string} */ symbology = '') =>
    use(({ at, desk }) => at.scan(desk, code, symbology))
  const enter = (/** @type {string} */ code) => use(({ at, desk }) => at.enter(desk, code))
  const prepare = () => use(() => undefined)
  const camera = openCamera(scan, (state, says) => use(({ at, desk }) => at.say(desk, state, says)))
  // keys may come while the desk loads
  const press = (/** @type {KeyboardEvent} */ event) => loading && use(({ at, desk }) => at.press(desk, event))
  window.addEventListener('keydown', press, { signal: ended.signal })
  kept.store(mode.value)
  if (mode.value !== 'look-up') await Promise.allSettled([bookings(), load()])
  void opened.then(prepare)
  return viewOf(html`<${Scan} ...${{ mode, loaded, camera, choose, scan, enter, prepare }} />`, {
    title: text('view.scan'),
    scan,
    keep: (code) => loaded.value?.at.keep(loaded.value.desk, code) ?? false,
    arrive: enter,
    type,
    takeBack: (typed) => use(({ at, desk }) => at.takeBack(desk, typed)),
    close: () => (camera.close(), loaded.value?.at.leave(loaded.value.desk), ended.abort()),
  })
}

/** @param {{mode: ModeSignal, loaded: LoadedSignal, camera: import('../camera/panel.js').Camera, choose: (mode: string) => void, scan: (code: string) => void, enter: (code: string) => void, prepare: () => void}} props */
function Scan({ mode, loaded, camera, choose, scan, enter, prepare }) {
  const { desk, ProductPanel, Pad, ProductMovements, BookingList } = loaded.value ?? {}
  const options = MODES.map((each) => /** @type {[string, string]} */ ([each, text(`mode.${each}`)]))
  const icons = Object.fromEntries(MODES.map((each) => [each, each]))
  const change = (/** @type {string} */ chosen) => (choose(chosen), camera.drop())
  // while a number is typed, the picture of the camera makes room for the keys
  const types = desk && (desk.isOpen.value || desk.session.waiting.value)
  return html`
    <div
      class="view scan ${camera.isOn.value ? 'watches' : ''} ${types ? 'types' : ''}" data-mode=${mode.value} onclick=${prepare}
    >
      <h1 class="unseen">${text('view.scan')}</h1>
      <div class="product-side">
        <${CameraPanel} camera=${camera} />
        <${Entry} mode=${mode} loaded=${loaded} scan=${scan} enter=${enter} />
        <${Segments} label=${text('mode')} name="mode" value=${mode.value} options=${options} icons=${icons} changed=${change} />
        <div class="part">${desk ? html`<${ProductPanel} desk=${desk} />` : html`<${EmptyPanel} mode=${mode} />`}</div>
        <p class="unseen" role="status">${text(`mode.${mode.value}.says`)}</p>
      </div>
      <div class="part pad-part">${desk && html`<${Pad} desk=${desk} />`}</div>
      <div class="part movements-part">${desk && html`<${ProductMovements} desk=${desk} />`}</div>
      <div class="part list-part">${desk && html`<${BookingList} />`}</div>
    </div>`
}

/** The panel of the last scanned product, before there is one. @param {{mode: ModeSignal}} props */
function EmptyPanel({ mode }) {
  return html`
    <section class="card product" aria-label=${text('scan.product')} data-state="ready">
      <div class="edge"><${Icon} name=${mode.value} /></div>
      <div class="message">${text('scan.ready')}</div>
      <p class="soft">${text(`mode.${mode.value}.says`)}</p>
    </section>`
}

/**
 * The field for a code that a person types, with the button that says what the mode does with it. An ellipsis on the button
 * means that the product is shown first. The field gets the focus back when that waits for its amount no longer.
 *
 * @param {{mode: ModeSignal, loaded: LoadedSignal, scan: (code: string) => void, enter: (code: string) => void}} props
 */
function Entry({ mode, loaded, scan, enter }) {
  const field = useRef(/** @type {HTMLInputElement | null} */ (null))
  useEffect(() => {
    let wasFocused = false
    return effect(() => {
      const isWaiting = Boolean(loaded.value?.desk.session.waiting.value)
      if (wasFocused && !isWaiting) field.current?.focus()
      wasFocused = isWaiting && (wasFocused || field.current?.form?.contains(document.activeElement) === true)
    })
  }, [])
  const take = () => {
    const input = /** @type {HTMLInputElement} */ (field.current)
    const code = input.value.trim()
    input.value = ''
    return code
  }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    const code = take()
    if (code) enter(code)
  }
  const scanned = (/** @type {Event & {typed: string}} */ { typed }) => {
    const [code, its, input] = [take(), loaded.value, /** @type {HTMLInputElement} */ (field.current)]
    if (!code) return
    if (!its) scan(code)
    else if (!its.at.scanInField(its.desk, code, typed.trim())) input.value = typed
  }
  return html`
    <form class="entry" onsubmit=${submit}>
      <input
        type="text" id="code" ref=${field} autocomplete="off" autocapitalize="off" spellcheck=${false} enterkeyhint="go"
        maxlength=${LIMITS.scan} placeholder=${text('scan.type')} aria-label=${text('scan.type')} data-takes-scans onscan=${scanned}
      />
      <button><${Icon} name=${mode.value} />${text(`mode.${mode.value}`)}${mode.value !== 'look-up' && ' …'}</button>
    </form>`
}
