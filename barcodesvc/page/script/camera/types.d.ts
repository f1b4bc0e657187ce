/** The shapes of the camera; apart from the others, so that the worker can name them, too. */

/** A place in a picture, in its pixels. */
export type Point = { x: number; y: number }

/** A code in a picture: its text as a scanner sends it, its symbology, its corners from the beginning of its first line on. */
export type Code = { text: string; type: string; position: Point[] }

/** A code on a photo, with its text as people read it, and the description of its product. */
export type PhotoCode = Code & { label: string; product: string }

/** A code in the picture of a camera, with its distance from the middle, and whether it is there, about. */
export type SeenCode = Code & { distance: number; isCentral: boolean }

/** A code that stays in view: its last reading, when it was read first and last, since when it is missing, when another code was nearer to the centre; `read` are the last times when it was read. */
export type Sighting = { key: string; code: SeenCode; first: number; last: number; read: number[]; isKnown: boolean; missing: number | null; passed: number; hasCounted: boolean }

/** Called with each code that counts, and its symbology. */
export type Seen = (code: string, type: string) => void

/** Shows all that a camera does besides; one that is `blind` cannot read. */
export type Say = (state: 'looking' | 'bad' | 'blind' | 'ready', message: string) => void
