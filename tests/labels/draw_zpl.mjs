// Draws labels of ZPL by zpl-renderer-js, a reader that shares nothing with the service.
// Each line of the input is JSON: the ZPL, its size in mm, and dots per mm; each line of the output a PNG in base64.

import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const installed = createRequire(new URL('../../.venv/page-tools/package.json', import.meta.url))
const { ready } = installed('zpl-renderer-js')
const { api } = await ready
for await (const line of createInterface({ input: process.stdin })) {
  const { zpl, width, height, dots } = JSON.parse(line)
  console.log(await api.zplToBase64Async(zpl, width, height, dots))
}
process.exit(0)
