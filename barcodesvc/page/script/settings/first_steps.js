/**
 * The first screen of an empty shop: three ways to its first products. Without it a newcomer sees views in which nothing can
 * be done yet.
 *
 * Rule: few people see it, so what it leads to is loaded when it is needed, with its texts. A scan creates its product, as in
 * other views.
 */

import { newKey } from '../idempotency_key.js'
import { importFile } from '../import/file_drop.js'
import { importNow, SPREADSHEETS } from '../import/sending.js'
import { loadFurtherTexts, text } from '../language.js'
import { announce } from '../in_front.js'
import { needed } from '../service.js'
import { Button, errorText, FileButton, html, useSignal, viewOf } from '../ui.js'

/** Return a module that loads, with the texts of all views. @template T @param {Promise<T>} loading */
const withTexts = async (loading) => (await needed(Promise.all([loading, loadFurtherTexts()])))[0]

/** Return the first screen, as a view. @param {() => void} done opens the start view again, of a shop that has products now @returns {import('../router.js').View} */
export function firstSteps(done) {
  const ended = new AbortController()
  const scan = async (/** @type {string} */ code) => {
    const { scanOpener } = await withTexts(import('../open_scanned.js'))
    await scanOpener(ended.signal)(code)
  }
  return viewOf(html`<${FirstSteps} done=${done} />`, {
    title: text('start.welcome'),
    scan: (code) => void scan(code),
    arrive: (code) => void scan(code),
    close: () => ended.abort(),
  })
}

/** @param {{done: () => void}} props */
function FirstSteps({ done }) {
  const [isLoading, problem] = [useSignal(false), useSignal('')]
  const isPhone = window.matchMedia('(pointer: coarse)').matches
  const create = async () => {
    const { newProduct } = await withTexts(import('../products/form.js'))
    newProduct({}, ({ description = '' }) => {
      announce(text('product.saved', { product: description }))
      done()
    })
  }
  const openPhone = async () => (await withTexts(import('./phone_dialog.js'))).openOnPhone()
  const lookAround = async () => {
    isLoading.value = true
    try {
      const [count] = await Promise.all([loadDemo(), loadFurtherTexts()])
      announce(text('start.demo.loaded', { count }))
      location.hash = '#products'
    } catch (error) {
      problem.value = errorText(error)
      isLoading.value = false
    }
  }
  return html`
    <div class="view first-steps">
      <h1>${text('start.welcome')}</h1>
      <p>${text('start.title')}</p>
      <${FileButton} kind="tile" accept=${SPREADSHEETS} take=${importFile}><${Says} what="start.import" /><//>
      <${Button} kind="tile" icon="scan" onclick=${() => void create()}><${Says} what="start.create" /><//>
      <${Button} kind="tile" icon="products" disabled=${isLoading} onclick=${() => void lookAround()}><${Says} what="start.demo" /><//>
      <p class="problem" role="alert">${problem}</p>
      ${!isPhone && html`<div><${Button} kind="text" icon="phone" onclick=${() => void openPhone()}>${text('phone.title')}<//></div>`}
    </div>`
}

/** @param {{what: string}} props */
function Says({ what }) {
  return html`<span><b>${text(what)}</b><span class="soft">${text(`${what}.how`)}</span></span>`
}

/** Import the demo products, which the service has in each language, and return their number. */
async function loadDemo() {
  const address = new URL(`../../demo/${document.documentElement.lang}.csv`, import.meta.url)
  const file = new File([await (await fetch(address)).blob()], 'demo.csv', { type: 'text/csv' })
  const { imported } = await importNow(
    { file, mode: 'skip', makesCodes: false, sheet: '', encoding: '', map: null },
    () => undefined,
    newKey(),
  )
  return imported
}
