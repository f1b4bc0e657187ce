/** The shapes that several parts of the page share, one line each where that is possible. */

import type { ComponentChildren } from 'preact'

export type Children = ComponentChildren
