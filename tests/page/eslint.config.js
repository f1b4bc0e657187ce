import { createRequire } from 'node:module'

const installed = createRequire(new URL('../../.venv/page-tools/package.json', import.meta.url))
const js = installed('@eslint/js')
const globals = installed('globals')

/** Ways to make markup of strings, which the page has no use for: its policy forbids them. */
const MARKUP = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'write', 'writeln']

/** What the oldest supported browsers lack (docs/web-app.md, "Browsers"). TypeScript's `lib` restricts the language. */
const NEWER = [
  ['AbortSignal', 'any'],
  ['URL', 'canParse'],
  ['URL', 'parse'],
  ['Promise', 'withResolvers'],
  ['Promise', 'try'],
  ['Object', 'groupBy'],
  ['Map', 'groupBy'],
  ['Array', 'fromAsync'],
]

export default [
  { ignores: ['barcodesvc/page/library/'] }, // of another project
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      complexity: ['error', 18],
      eqeqeq: 'error',
      'func-style': ['error', 'declaration', { allowArrowFunctions: true }],
      'guard-for-in': 'error',
      'max-depth': ['error', 3],
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 5],
      'no-alert': 'error',
      'no-console': ['error', { allow: ['warn', 'error'] }], // unforeseen errors; tests fail for errors
      'no-eval': 'error',
      'no-implied-eval': 'error',
      'no-new-func': 'error',
      'no-restricted-properties': [
        'error',
        ...NEWER.map(([object, property]) => ({
          object,
          property,
          message: 'Chrome 109, Safari 16 or Firefox 115 lacks it',
        })),
        ...MARKUP.map((property) => ({ property, message: 'set text, or make elements' })),
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'TemplateElement[value.raw=/\\n\\s*\\x2f[\\x2f*]/]',
          message: 'the service leaves out lines that begin as a comment does (page_files.py)',
        },
      ],
      'no-script-url': 'error',
      'no-self-compare': 'error',
      'no-shadow': 'error',
      'no-template-curly-in-string': 'error',
      'no-throw-literal': 'error',
      'no-unreachable-loop': 'error',
      'no-unused-vars': ['error', { ignoreRestSiblings: true }],
      'no-useless-return': 'error',
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
      'prefer-promise-reject-errors': 'error',
      'require-await': 'error',
      strict: ['error', 'never'],
    },
  },
  { files: ['barcodesvc/page/**/*.js'], languageOptions: { globals: globals.browser } },
  // a language is one file, which is a table
  { files: ['barcodesvc/page/{languages,further-texts}/*.js'], rules: { 'max-lines': 'off' } },
  {
    files: ['barcodesvc/page/service-worker.js'],
    languageOptions: { sourceType: 'script', globals: globals.serviceworker },
  },
  { files: ['tests/page/*.js'], languageOptions: { globals: globals.node } },
]
