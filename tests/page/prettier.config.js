/** How the page and its tests are written: two spaces, no semicolons, single quotes, lines of 120 characters. */
export default { printWidth: 120, semi: false, singleQuote: true, trailingComma: 'all', arrowParens: 'always' }
