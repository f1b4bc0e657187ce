/** Never opens a dropped file or link in place of the page: a file is imported, anything else is refused. */

import { shown } from '../frame.js'
import { openDialog } from '../in_front.js'
import { text } from '../language.js'
import { fillsScreen } from '../router.js'
import { draw, html, signal } from '../ui.js'

/** The file that the view of products imports as it opens. */
export const requested = signal(/** @type {File | null} */ (null))

/** Say that a file can be dropped while one is dragged over the page, and import it. */
export function watchDrops() {
  const isOver = signal(false)
  let gone = 0
  const Drop = () => isOver.value && html`<div class="drop">${text('import.drop')}</div>`
  draw(html`<${Drop} />`, document.body.appendChild(document.createElement('div')))

  /** @param {DragEvent} event */
  function dragged(event) {
    const transfer = event.dataTransfer
    const isFile = transfer?.types.includes('Files') ?? false
    const isField = event.target instanceof Element && event.target.matches('input, textarea')
    if (isField && !isFile) return
    event.preventDefault()
    if (!transfer) return
    // the view may be left, and nothing is open or under way
    const { name, view } = shown.peek() ?? {}
    const isTaken = isFile && !fillsScreen(name) && !openDialog() && !view?.isTaking?.()
    transfer.dropEffect = isTaken ? 'copy' : 'none'
    if (!isTaken) return
    clearTimeout(gone)
    isOver.value = event.type !== 'drop'
    gone = window.setTimeout(() => (isOver.value = false), 400) // no event says that the file has left the window
    const [file] = transfer.files
    if (event.type === 'drop' && file) importFile(file)
  }
  for (const type of /** @type {const} */ (['dragover', 'drop'])) window.addEventListener(type, dragged)
}

/** Import a file in the view of products. @param {File} file */
export function importFile(file) {
  const take = shown.peek()?.view?.take
  if (take) return take(file)
  requested.value = file
  location.hash = '#products'
}
