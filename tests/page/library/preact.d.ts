/** The types of what preact.js joins; scripts/check-page puts this into the library, whose scripts have no types. */
export * from 'preact'
export * from 'preact/hooks'
export * from '@preact/signals'
export { default as htm } from 'htm'
