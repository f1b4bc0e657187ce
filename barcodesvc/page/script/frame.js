/** What is around every view: the line on top, the navigation, the messages. */

import { Notices } from './in_front.js'
import { text } from './language.js'
import { fillsScreen, removeStyles, VIEWS } from './router.js'
import { html, Icon, ShopSign, signal, useLayoutEffect, useRef } from './ui.js'

/** The view that is shown, and its name. */
export const shown = signal(/** @type {{name: string, view: import('./router.js').View} | null} */ (null))

/** The states on the line on top, once they are loaded. */
export const states = signal(/** @type {(() => import('./types.js').Children) | null} */ (null))

export function Frame() {
  const { name = '', view = null } = shown.value ?? {}
  const main = useRef(/** @type {HTMLElement | null} */ (null))
  const isFirst = useRef(true)
  const isAlone = fillsScreen(name)
  useLayoutEffect(() => {
    if (!view || !main.current) return
    main.current.replaceChildren(view.node)
    document.body.dataset['view'] = document.documentElement.dataset['shown'] = name
    document.title = `${view.title} · barcodesvc`
    removeStyles(name)
    window.scrollTo(0, 0)
    if (!isFirst.current) focusTitle(main.current)
    isFirst.current = false
  }, [view])
  const skip = (/** @type {Event} */ event) => (event.preventDefault(), main.current?.focus())
  return html`
    <a class="skip" href="#view" onclick=${skip}>${text('skip')}</a>
    <header class="status" hidden=${isAlone}>
      <a class="brand" href="#scan"><${ShopSign} /></a>
      ${states.value && html`<${states.value} />`}
    </header>
    <nav class="navigation" hidden=${isAlone} aria-label=${text('navigation')}>
      ${Object.keys(VIEWS)
        .filter((each) => !fillsScreen(each))
        .map(
          (each) => html`
            <a key=${each} href="#${each}" aria-current=${each === name ? 'page' : undefined}>
              <${Icon} name=${each} /><span>${text(`view.${each}`)}</span>
            </a>`,
        )}
    </nav>
    <main id="view" tabindex="-1" ref=${main} />
    <${Notices} />`
}

/** Move the focus to the title of a view that has just opened, which screen readers then read out. @param {HTMLElement} main */
function focusTitle(main) {
  if (main.contains(document.activeElement)) return
  const title = [...main.querySelectorAll('h1')].at(-1) ?? main
  title.setAttribute('tabindex', '-1')
  title.focus()
}
