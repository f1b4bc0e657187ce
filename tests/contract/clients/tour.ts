// Every call of tests/contract/tour.md, made by openapi-fetch with the types that openapi-typescript generates.
//
// Arguments: the address of the service, and the folder that scripts/demo has filled. Each request is printed as a line
// of JSON, for the test that compares them with the page.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import createClient from 'openapi-fetch';

import type { paths } from './api.js';

const [, , baseUrl, demo] = process.argv;
const client = createClient<paths>({
  baseUrl,
  headers: { 'X-API-Key': 'correct-horse-battery-staple' },
});
client.use({
  async onRequest({ request }) {
    const url = new URL(request.url);
    const isJson = request.headers.get('Content-Type') === 'application/json';
    const body: unknown = isJson ? await request.clone().json() : null;
    const query = Object.fromEntries(url.searchParams);
    console.log(JSON.stringify({ method: request.method, path: url.pathname, body, query }));
  },
});

/** The data of a response that is expected to succeed. */
function good<T>({ data, error }: { data?: T; error?: unknown }): T {
  assert(data !== undefined, JSON.stringify(error));
  return data;
}

/** The error of a response that is expected to fail. */
function bad<E>({ error }: { error?: E }): NonNullable<E> {
  assert(error);
  return error;
}

/** The body of a form: a file is a text for the generated types, and a separate part on the wire. */
const asForm = (body: object) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, value);
  return form;
};
const file = async (name: string, type: string) =>
  new File([await readFile(`${demo}/${name}`)], name, { type }) as unknown as string;

async function products() {
  const draft = {
    product_code: '4006381333931',
    description: 'Highlighter',
    category: 'Office',
    initial_level: 25,
    minimum_level: 10,
  };
  const { id } = good(await client.POST('/api/products', { body: draft })).data;
  const form = { file: await file('catalogue.xlsx', 'application/octet-stream') };
  const sent = { body: form, bodySerializer: asForm };
  const imported = good(await client.POST('/api/products/import', sent));
  assert(typeof imported === 'object' && imported.data.imported === 5); // a text is a stream of events
  const preview = { ...sent, params: { query: { mode: 'update', dry_run: true } } } as const;
  const tried = good(await client.POST('/api/products/import', preview));
  assert(typeof tried === 'object' && tried.data.updated === 5);
  const found = await client.GET('/api/products', { params: { query: { search: 'WATER', limit: 10 } } });
  assert.equal(good(found).pagination.total, 1);
  good(await client.GET('/api/products/catalogue'));
  good(await client.GET('/api/products/attributes'));
  const stocked = await client.GET('/api/products', { params: { query: { include_levels: true, limit: 1 } } });
  const [product] = good(stocked).data;
  assert(product && 'current_level' in product && product.current_level === 25);
  const path = { id };
  good(await client.GET('/api/products/{id}', { params: { path } }));
  const change = { description: 'Highlighter, yellow', maximum_level: 100 };
  good(await client.PUT('/api/products/{id}', { params: { path }, body: change }));
  const csv = { params: { query: { format: 'csv' } }, parseAs: 'text' } as const;
  assert(good(await client.GET('/api/products/export', csv)).includes('Highlighter, yellow'));
  good(await client.GET('/api/products/export', { parseAs: 'arrayBuffer' }));
  good(await client.GET('/api/products/import/template', { parseAs: 'arrayBuffer' }));
  good(await client.DELETE('/api/products/{id}', { params: { path: { id: 6 } } }));
}

async function inventory() {
  const path = { productId: 1 };
  const sale = { new_level: 8, expected_level: 25, change_reason: 'sold', updated_by: 'till 2' };
  good(await client.PUT('/api/inventory/{productId}', { params: { path }, body: sale }));
  const late = { new_level: 24, expected_level: 25 };
  const { details } = bad(await client.PUT('/api/inventory/{productId}', { params: { path }, body: late }));
  assert(details.reason === 'expected_level_differs' && details.current_level === 8);
  const low = { params: { query: { low_stock: true, product_id: 1 } } };
  assert.equal(good(await client.GET('/api/inventory', low)).data[0]?.current_level, 8);
  good(await client.GET('/api/inventory/reorder', { params: { query: { group_by: 'supplier' } } }));
  const list = { params: { query: { format: 'csv', group_by: 'supplier' } }, parseAs: 'text' } as const;
  good(await client.GET('/api/inventory/reorder/export', list));
  good(await client.GET('/api/inventory/{productId}', { params: { path } }));
  const first = { params: { path, query: { from_date: '2023-11-01', limit: 1 } } };
  assert.equal(good(await client.GET('/api/inventory/{productId}/history', first)).data[0]?.undone_by, null);
  const csv = { params: { query: { format: 'csv' } }, parseAs: 'text' } as const;
  good(await client.GET('/api/inventory/export', csv));
  const sold = { delta: -2, change_reason: 'sold', updated_by: 'till 2', idempotency_key: 'till-2/4711' };
  good(await client.POST('/api/inventory/{productId}/adjust', { params: { path }, body: sold }));
  const back = { delta: 2, change_reason: 'came back', updated_by: 'till 2', idempotency_key: 'till-2/4712' };
  good(await client.POST('/api/inventory/{productId}/adjust', { params: { path }, body: back }));
  await undo();
  const below = bad(await client.POST('/api/inventory/{productId}/adjust', { params: { path }, body: { delta: -9 } }));
  assert(below.details.reason === 'level_out_of_range' && below.details.least_delta === -8);
}

async function undo() {
  const query = { updated_by: 'till 2', from_date: '2023-11-14', limit: 1 };
  const [change] = good(await client.GET('/api/inventory/changes', { params: { query } })).data;
  assert(change);
  const sent = { params: { path: { changeId: change.id } } };
  const why = { change_reason: 'wrong product', updated_by: 'till 2' };
  const undone = good(await client.POST('/api/inventory/changes/{changeId}/undo', { ...sent, body: why })).data;
  const { details } = bad(await client.POST('/api/inventory/changes/{changeId}/undo', { ...sent, body: {} }));
  assert(details.reason === 'already_undone' && details.undone_by === undone.id);
  const again = { params: { path: { changeId: undone.id } }, body: {} };
  good(await client.POST('/api/inventory/changes/{changeId}/undo', again));
}

async function codes() {
  const ean = { product_code: '4006381333931', format: 'EAN13', width: 3 } as const;
  good(await client.POST('/api/codes/barcode', { body: ean }));
  const wrong = { product_code: '4006381333932', format: 'EAN13' } as const;
  const { details } = bad(await client.POST('/api/codes/barcode', { body: wrong }));
  assert(details.reason === 'bad_content' && details.position === 13);
  const described = { product_code: '4006381333931', include_product_info: true };
  assert(good(await client.POST('/api/codes/qrcode', { body: described })).data.embedded_data);
  const narrow = { product_code: '96385074', format: 'EAN8', dpi: 300, width: 3 } as const;
  assert(good(await client.POST('/api/codes/barcode', { body: narrow })).data.warnings);
  await pictures();
  const barcode = { kind: 'barcode', product_code: 'A-1', width: 1 } as const;
  const qrcode = { kind: 'qrcode', product_code: 'A-1', size: 9 } as const;
  const batch = good(await client.POST('/api/codes/batch', { body: { requests: [barcode, qrcode] } }));
  assert.deepEqual(batch.data.map(({ status }) => status), [200, 400]);
  good(await client.GET('/api/codes/formats'));
  await labels();
}

async function pictures() {
  const text = { parseAs: 'text' } as const;
  const bytes = { parseAs: 'arrayBuffer' } as const;
  const bolt = { path: { code: 'BOLT-M8x40' } };
  const bars = { ...text, params: { ...bolt, query: { height: 60 } } };
  assert(good(await client.GET('/api/codes/barcode/{code}.svg', bars)).startsWith('<svg'));
  const withAddOn = { path: { code: '4006381333931+12' }, query: { format: 'EAN13', module_mm: 0.33 } } as const;
  good(await client.GET('/api/codes/barcode/{code}.png', { ...bytes, params: withAddOn }));
  const special = { ...text, params: { path: { code: '50% off/2' } } };
  assert(good(await client.GET('/api/codes/qrcode/{code}.svg', special)).startsWith('<svg'));
  const quartile = { ...bolt, query: { size: 200, error_correction: 'Q' } } as const;
  good(await client.GET('/api/codes/qrcode/{code}.png', { ...bytes, params: quartile }));
}

async function labels() {
  const bytes = { parseAs: 'arrayBuffer' } as const;
  const page = { page_size: 'A4', labels_per_row: 4, include_description: true };
  const qrcodes = { products: ['4006381333931', 'BOLT-M8x40'], code_type: 'qrcode', layout: page } as const;
  good(await client.POST('/api/codes/printable', { ...bytes, body: { ...qrcodes, products: [...qrcodes.products] } }));
  const layout = { sheet: 'L7160', start_position: 4, lines: ['Aisle 7'] };
  const some = { products: [{ code: 'BOLT-M8x40', copies: 5 }, '4006381333931'], layout };
  good(await client.POST('/api/codes/printable', { ...bytes, body: some }));
  const wide = { products: ['BOLT-M8x40'], layout: { label_width: 80, labels_per_row: 3 } };
  assert.equal(bad(await client.POST('/api/codes/printable', { body: wide })).details.reason, 'invalid_input');
  good(await client.GET('/api/codes/sheets'));
  const named = { params: { path: { name: 'shelf' } } };
  const shelf = { sheet: 'L7160', include_description: true };
  good(await client.PUT('/api/codes/layouts/{name}', { ...named, body: shelf }));
  assert.equal(good(await client.GET('/api/codes/layouts')).data.length, 1);
  assert.equal(good(await client.GET('/api/codes/layouts/{name}', named)).data.name, 'shelf');
  const changed = { products: ['BOLT-M8x40'], layout: { name: 'shelf', start_position: 4 } };
  good(await client.POST('/api/codes/printable', { ...bytes, body: changed }));
  good(await client.DELETE('/api/codes/layouts/{name}', named));
  const logo = { params: { path: { name: 'logo' } } };
  const png = { body: await file('barcode.png', 'image/png'), bodySerializer: (body: unknown) => body as Blob };
  good(await client.PUT('/api/codes/images/{name}', { ...logo, ...png, headers: { 'Content-Type': 'image/png' } }));
  assert.equal(good(await client.GET('/api/codes/images')).data.length, 1);
  good(await client.GET('/api/codes/images/{name}', { ...logo, ...bytes }));
  good(await client.DELETE('/api/codes/images/{name}', logo));
}

async function scans() {
  const text = { code_data: ']C10104006381333931\u001d10LOT7' };
  assert.equal(good(await client.POST('/api/codes/decode', { body: text })).data.gs1?.lot, 'LOT7');
  const photo = { body: { image: await file('barcode.png', 'image/png') }, bodySerializer: asForm };
  assert(good(await client.POST('/api/codes/decode', photo)).data.codes);
  const taken = { code_data: ']E04006381333931', delta: -1, updated_by: 'scanner 3' };
  assert.equal(good(await client.POST('/api/codes/scan', { body: taken })).data.inventory.current_level, 7);
  const code_data = '4006381333931';
  const scanned_at = new Date(Date.now() - 180_000).toISOString();
  const queued = { code_data, delta: -2, idempotency_key: 's3/1', scanned_at };
  const others = [{ code_data, new_level: 7 }, { code_data }, { code_data: 'no-such', delta: 1 }];
  const counted = await client.POST('/api/codes/scans', { body: { scans: [queued, queued, ...others] } });
  const [first, again, , , missing] = good(counted).data;
  assert(first?.status === 200 && first.data.inventory.current_level === 5);
  assert(again?.status === 200 && again.replayed);
  assert(missing?.status === 404 && missing.details.reason === 'no_product_matches');
}

async function furtherCodes() {
  const first = { params: { path: { id: 1 } } };
  const box = { code: 'BOX-6', pack_quantity: 6, note: 'box of six' };
  const added = good(await client.POST('/api/products/{id}/codes', { ...first, body: box })).data;
  assert.equal(good(await client.GET('/api/products/{id}/codes', first)).data.length, 1);
  const code = { params: { path: { id: 1, codeId: added.id } } };
  good(await client.GET('/api/products/{id}/codes/{codeId}', code));
  const packs = { code_data: 'box-6', delta: 2 };
  assert.equal(good(await client.POST('/api/codes/scan', { body: packs })).data.inventory.current_level, 19);
  good(await client.DELETE('/api/products/{id}/codes/{codeId}', code));
  const made = good(await client.POST('/api/codes/made', { body: { count: 2 } })).data;
  assert.deepEqual(made, ['P00001', 'P00002']);
  const [unknown] = good(await client.GET('/api/scans/unknown')).data;
  assert(unknown);
  const scan = { params: { path: { id: unknown.id } } };
  good(await client.POST('/api/scans/unknown/{id}/assign', { ...scan, body: { product_id: 1 } }));
  assert.equal(bad(await client.DELETE('/api/scans/unknown/{id}', scan)).details.reason, 'not_found');
  good(await client.DELETE('/api/scans/unknown'));
}

async function printers() {
  assert.equal(good(await client.GET('/api/printers')).data.length, 0);
  const zebra = { params: { path: { printer: 'zebra' } } };
  const wanted = { products: [{ code: 'BOLT-M8x40', copies: 3 }] };
  const absent = bad(await client.POST('/api/printers/{printer}/jobs', { ...zebra, body: wanted }));
  assert.equal(absent.details.reason, 'not_found');
  const first = { params: { path: { printer: 'zebra', jobId: 1 } } };
  bad(await client.GET('/api/printers/{printer}/jobs', zebra));
  bad(await client.GET('/api/printers/{printer}/jobs/{jobId}', first));
  bad(await client.POST('/api/printers/{printer}/jobs/{jobId}/cancel', first));
  bad(await client.POST('/api/printers/{printer}/jobs/{jobId}/resend', { ...first, body: { from_label: 2 } }));
  bad(await client.POST('/api/printers/{printer}/jobs/{jobId}/settle', first));
}

async function service() {
  good(await client.GET('/api/openapi.json'));
  good(await client.GET('/api/docs', { parseAs: 'text' }));
  const script = { params: { path: { asset: 'start.js' } }, parseAs: 'text' } as const;
  good(await client.GET('/api/docs/{asset}', script));
  good(await client.POST('/api/page/session', { body: { api_key: 'correct-horse-battery-staple' } }));
  good(await client.DELETE('/api/page/session'));
  assert.equal(good(await client.GET('/health')).status, 'OK');
  good(await client.GET('/metrics', { parseAs: 'text' }));
}

await products();
await inventory();
await codes();
await scans();
await furtherCodes();
await printers();
await service();
