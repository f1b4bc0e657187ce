/** The types of its hooks; scripts/check-page puts this into the library, whose scripts have no types. */
export * from 'preact/hooks'
