/** The types of its state; scripts/check-page puts this into the library, whose scripts have no types. */
export * from '@preact/signals-core'
