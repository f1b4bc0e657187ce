/** Names the languages, as the service does in the page's document. Import it before the page's scripts. */

Object.assign(globalThis, { document: { documentElement: { dataset: { languages: 'de en' } } } })
