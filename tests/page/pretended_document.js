/**
 * Names the languages and the limits, as the service does in the page's document. Import it before the page's scripts. The
 * limits are those of the service: `test_page_logic.py` compares them.
 */

import { readFileSync } from 'node:fs'

const limits = readFileSync(new URL('limits.json', import.meta.url), 'utf8')

Object.assign(globalThis, { document: { documentElement: { dataset: { languages: 'de en', limits } } } })
