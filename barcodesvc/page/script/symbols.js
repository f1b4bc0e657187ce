/** The symbols of navigation and buttons, in a square of 24 units. */

import { svg } from './dom.js'

/** @type {Record<string, string>} */
export const PATHS = {
  scan: 'M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 8v8M11 8v8M14 8v5M16.5 8v8',
  labels: 'M4 12V5a1 1 0 0 1 1-1h7l8 8-8 8zM8.5 8.5h.01',
  products: 'M12 3.5l8 4.25v8.5l-8 4.25-8-4.25v-8.5zM4 7.75l8 4.25 8-4.25M12 12v8.5',
  stock: 'M4 20h16M6.5 20v-7M12 20V5M17.5 20v-10',
  settings: 'M5 7h8M17 7h2M5 12h2M11 12h8M5 17h8M17 17h2M15 5v4M9 10v4M15 15v4',
  camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7',
  photo: 'M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 5M15.5 9h.01',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20.5c.5-4 3.5-6 7.5-6s7 2 7.5 6',
  phone: 'M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1M11 18h2',
  undo: 'M8 5L4 9l4 4M4 9h10a6 6 0 0 1 0 12h-3',
  print: 'M7 9V3.5h10V9M7 17H4V9h16v8h-3M7 14h10v6.5H7z',
  'put-in': 'M12 3v10M7.5 8.5L12 13l4.5-4.5M4 12v8h16v-8M12 15v3M10.5 16.5h3',
  'take-out': 'M12 13V3M7.5 7.5L12 3l4.5 4.5M4 12v8h16v-8M10 16.5h4',
  set: 'M5 9h14M5 15h14',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
  buy: 'M3 4h2.5l2.2 11.5h9.6L20 7.5H6.3M9.5 20h.01M16 20h.01',
  minus: 'M5 12h14',
  add: 'M12 5v14M5 12h14',
  upload: 'M12 16V4M7.5 8.5L12 4l4.5 4.5M4 16v4h16v-4',
  download: 'M12 4v12M7.5 11.5L12 16l4.5-4.5M4 18v2h16v-2',
  online: 'M4 9.5a11.5 11.5 0 0 1 16 0M7 13a7 7 0 0 1 10 0M12 17.5h.01',
  offline: 'M4 4l16 16M4 9.5a11.5 11.5 0 0 1 4.5-2.8M12 6.3a11.5 11.5 0 0 1 8 3.2M7 13a7 7 0 0 1 4.5-2M12 17.5h.01',
  back: 'M14.5 5l-7 7 7 7',
  forward: 'M9.5 5l7 7-7 7',
  good: 'M5 12.5l4.5 4.5L19 7.5',
  waiting: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4.5l3 2',
  bad: 'M6 6l12 12M18 6L6 18',
}

/** @param {string} name */
export function symbol(name) {
  return svg(
    'svg',
    { class: 'symbol', 'data-symbol': name, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
    svg('path', { d: PATHS[name] ?? '' }),
  )
}
