/**
 * How the page and its tests are written: two spaces, no semicolons, single quotes, lines of 120 characters. Templates stay
 * as they are: Prettier puts a space before their first element, which htm would draw.
 */
export default {
  printWidth: 120,
  semi: false,
  singleQuote: true,
  trailingComma: 'all',
  arrowParens: 'always',
  embeddedLanguageFormatting: 'off',
}
