/** The menu of exports, which the browser saves as files. */

import { address } from './api.js'
import { text } from './language.js'
import { Menu } from './menu.js'
import { saveFile } from './save_file.js'
import { html } from './ui.js'

/** @param {{path: string}} props */
export function ExportMenu({ path }) {
  const save = (/** @type {MouseEvent & {currentTarget: HTMLAnchorElement}} */ event) => {
    event.currentTarget.closest('details')?.removeAttribute('open')
    saveFile(event)
  }
  return html`
    <${Menu} icon="download" label=${text('export')}>
      ${['xlsx', 'csv'].map((format) => {
        const href = address(path, { format })
        return html`<a key=${format} class="button" href=${href} download onclick=${save}>${text(`export.${format}`)}</a>`
      })}
    <//>`
}
