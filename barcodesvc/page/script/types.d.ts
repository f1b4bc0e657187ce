/** The shapes that several parts of the page share, one line each where that is possible. */

import type { ComponentChildren } from 'preact'

export type Children = ComponentChildren

/** What `LIMITS` has: pairs are the least and the greatest value; `pages` are widths and heights in mm. */
export type Limits = { code: number; scan: number; description: number; short_text: number; search: number; author: number; reason: number; first_reason: string; attributes: { most: number; name: number; value: number }; ids: number; page: number; movements: number; labels: number; layout_name: number; lines: number; offset: [number, number]; scale: [number, number]; arrangement: string[]; corrections: string[]; roll: [number, number]; pages: Record<string, [number, number]> }

/** A movement, as the service lists it; over all products with the product's code and description. */
export type Movement = { id: number; product_id: number; old_level: number; new_level: number; change_reason: string; updated_by: string; updated_at: string; scanned_at: string | null; undoes: number | null; undone_by: number | null; import_id?: number | null; product_code?: string; description?: string }

/** A printer of the service, as `GET /api/printers` returns it. */
export type Printer = { name: string; kind: string; label: string; dpi: number; state: string; jobs_waiting: number }

/** A job of a printer. `isCancelling` is the page's own: somebody has cancelled it here, and its printer still prints. */
export type Job = { id: number; printer: string; state: string; labels: number; labels_sure: number; labels_unsure: number; message: string; created_at: string; resend_of: number | null; from_label: number; products: string[]; isCancelling?: boolean }

/** The fields of `layout` that the page knows, as the service has them, a layout that is saved, and a line of it. */
export type Layout = { sheet?: string; start_position?: number; label_width?: number; label_height?: number; font_size?: number; bar_height?: number; lines?: Line[]; [other: string]: unknown }
export type SavedLayout = { name: string; layout: Layout }
export type StyledLine = { text: string; size?: number; bold?: boolean; place?: string }
export type Line = string | StyledLine

/**
 * How labels look: the name of a design or of a saved layout, the lines that a person has changed, and the sheet: its name, the
 * size of a roll, or null for the arrangement of the layout.
 */
export type Design = { saved: SavedLayout[]; name: string; lines: Line[] | null; sheet: string | null }

/** The measures of a sheet in mm, as `GET /api/codes/sheets` returns them. */
export type Sheet = { sheet: string; page_size: string; labels_per_row: number; labels_per_column: number; label_width: number; label_height: number; margin_left: number; margin_top: number; pitch_x: number; pitch_y: number }

/** What a print takes of a sheet: `count` labels from position `first` on. */
export type Place = { sheet: Sheet; first: number; count: number }

/** A product to print, with its copies; `attributes` are their names. */
export type LabelledProduct = { id: number; product_code: string; description: string; attributes: string[]; retired?: boolean }
export type LabelItem = { product: LabelledProduct; copies: number }

/** Labels to print, as the service is asked for them: on the sheet of the layout, from `start_position` on; without a `printer` of the service, the browser prints. */
export type Order = { products: { code: string; copies: number }[]; code_type: string; layout: Layout; printer?: string }

/** An order that this device has printed, and when, as ISO text. */
export type Printed = { order: Order; at: string }

export type { Signal } from '../library/preact.js'

/** A product, as the service lists it with its level. */
export type Product = { id: number; product_code: string; description: string; category: string; unit_of_measure: string; created_at: string; updated_at: string; current_level: number; minimum_level: number; maximum_level: number; attributes: Record<string, string>; retired?: boolean }

/** The level of a product, as `GET /api/inventory` lists it. */
export type Level = { product_id: number; product_code: string; description: string; current_level: number; minimum_level: number; maximum_level: number }

/** A product of the list to buy; `group` is there if the list is grouped. */
export type Purchase = Level & { unit_of_measure: string; order_quantity: number; group?: string }

/** Why a scan is not heard: its keys look like a person's, but are a `code`; or it is `incomplete`. */
export type Trouble = 'code' | 'incomplete'

/** What the page learns: `typed`, without a focused field, returns whether it was used; what of a scan was, is taken back at `troubled`. */
export type Heard = { scanned: (text: string) => void; typed: (text: string) => boolean | undefined; troubled: (trouble: Trouble, used: string) => void }

/** What the service made of a booking; older pages did not store `changedAt`, the time at which the change was written, and what comes after the levels. */
export type Result = { productId: number; productCode: string; description: string; changeId: number; changedAt?: string; oldLevel: number; newLevel: number; pack?: number; retired?: boolean; embedded?: Embedded }

/** A value inside a scanned code, as text and as a whole number. */
export type Embedded = { kind: 'price' | 'weight' | 'count'; value: string; units: number }

/** A further code of a product. */
export type ProductCode = { id: number; code: string; pack_quantity: number; note: string }

/** A scan that named no product; `new_product` is a body that creates one for it, if that is possible. */
export type UnknownScan = { id: number; text: string; count: number; last_seen: string; new_product: Record<string, string> | null }

/** Why the service refused something. */
export type Problem = { code: string; message: string; details: any }

/** What a scan does. */
export type Mode = 'look-up' | 'put-in' | 'take-out' | 'set'

/** One change of a level, before it is booked: an amount put in (over 0) or taken out (under 0), or a counted level. `embedded` counts what is inside the code, if it is a weight or a count. */
export type Change = { code: string; type?: string; delta?: number; level?: number; embedded?: boolean; reason?: string }

/** A booking: one change of a level that a person made by scanning, as this device stores it. */
export type Booking = {
  /** its place in the queue; the storage gives it */
  id: number
  /** its idempotency key, the same for every attempt */
  key: string
  /** the scanned text, and its symbology, if the camera has read it */
  code: string
  type?: string
  delta: number | null
  level: number | null
  embedded?: boolean
  /** ISO 8601, by the device's clock */
  scannedAt: string
  /** whether it may have been sent to the service; older pages did not store this */
  sent?: boolean
  /** who books; empty in what older pages stored without a name, which is sent as it is */
  author: string
  /** older pages did not store this */
  reason?: string
  state: 'waiting' | 'booked' | 'refused' | 'undone'
  /** the idempotency key of its undo, or empty without one; and who takes it back, if not its author */
  undoKey: string
  undoAuthor?: string
  result: Result | null
  /** why the service refused it, or its undo */
  problem: Problem | null
}

/** A booking that is not stored yet. */
export type NewBooking = Omit<Booking, 'id'>

/** What is imported: `mode` is what happens to products that exist, an empty sheet the first suitable one, an empty encoding the one that the service finds, and no map what it recognises. */
export type ImportWanted = { file: File; mode: 'skip' | 'update' | 'count' | 'receive'; makesCodes: boolean; sheet: string; encoding: string; map: Record<string, string> | null }

/** What is wrong with a row of a spreadsheet, and with a cell of it. */
export type WrongRow = { row: number; product_code: string; description: string; error: string; problems: WrongCell[] }
export type WrongCell = { column: string; value: any; rule: string; message: string; first_row: number | null }

/** What an import has done, or a dry run would; what that would store of the first rows. */
export type ImportResult = { imported: number; updated?: number; skipped: number; levels_ignored: number; warnings?: WrongRow[]; warnings_count?: number; errors: WrongRow[]; errors_count: number; preview?: ImportPreview; new_products?: number[] }
export type ImportPreview = { sheet: string; header_row: number; program: string | null; encoding?: string; columns: Record<string, string>; ignored: string[]; rows: PreviewRow[] }
export type PreviewRow = { row: number; outcome: string; product_code: string; description: string; category: string; unit_of_measure: string; current_level: number; minimum_level: number; attributes: Record<string, string>; old_level: number | null; given_level: number | null }
