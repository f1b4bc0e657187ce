/** The types of htm; scripts/check-page puts this into the library, whose scripts have no types. */
export { default } from 'htm'
