/** The types of its signals; scripts/check-page puts this into the library, whose scripts have no types. */
export * from '@preact/signals'
