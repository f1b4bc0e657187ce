/**
 * Has the browser save a file of the service.
 *
 * Rule: the browser's own download cannot ask for the key. So the page asks the service for something else first, which does
 * if the session is over.
 */

import { ask } from './api.js'
import { announce } from './notices.js'
import { errorText } from './ui.js'

/**
 * Save the file that a pressed link names.
 *
 * @param {Event & {currentTarget: HTMLAnchorElement}} event
 */
export function saveFile(event) {
  const { href } = event.currentTarget
  event.preventDefault()
  const save = () => Object.assign(document.createElement('a'), { href, download: '' }).click()
  ask('GET', '/api/products', { query: { limit: 1 } }).then(save, (error) => announce(errorText(error), 'bad'))
}
