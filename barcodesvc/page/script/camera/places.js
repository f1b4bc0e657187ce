/** Places in the picture of a camera, in its pixels: how large and how slanted a code is, and what a person sees of it. */

/** @typedef {import('./types.js').Point} Point */
/** @typedef {[Point, Point, Point, Point]} Corners of a code, from the beginning of its first line on */

/** How far from the middle a central code may end, by the smaller side of what is visible. */
const CENTRAL = 0.1

/** The distance of the middles of two codes, by the longer width, up to which they may be one. */
const NEAR = 0.5

/** @type {(one: Point, other: Point) => Point} */
const plus = (one, other) => ({ x: one.x + other.x, y: one.y + other.y })

/** @type {(one: Point, other: Point) => Point} */
const minus = (one, other) => ({ x: one.x - other.x, y: one.y - other.y })

/** @type {(one: Point, other: Point) => number} */
const along = (one, other) => one.x * other.x + one.y * other.y

/** @type {(one: Point, other: Point) => number} */
const between = (one, other) => Math.hypot(one.x - other.x, one.y - other.y)

/** @type {(corners: Point[]) => Point} */
export function middleOf(corners) {
  const { x, y } = corners.reduce(plus)
  return { x: x / corners.length, y: y / corners.length }
}

/** @type {(corners: Point[], factor: number) => Point[]} */
export const scaled = (corners, factor) => corners.map(({ x, y }) => ({ x: x * factor, y: y * factor }))

/** Return the width and the height of a code. @type {(corners: Point[]) => [number, number]} */
export function sidesOf(corners) {
  const [first, second, third, last] = /** @type {Corners} */ (corners)
  return [
    Math.max(between(first, second), between(last, third)),
    Math.max(between(first, last), between(second, third)),
  ]
}

/** Return how far the last line is from the first one in the direction of the lines, by the width: 0 right below it. @type {(corners: Point[]) => number} */
export function slantOf(corners) {
  const [first, second, , last] = /** @type {Corners} */ (corners)
  const across = minus(second, first)
  return along(minus(last, first), across) / (along(across, across) || 1)
}

/** Return the place of a code, extended up and down over other lines of it. @type {(corners: Point[], lines: Point[]) => Point[]} */
export function extended(corners, lines) {
  const [first, second, third, last] = /** @type {Corners} */ (corners)
  const [top, , , bottom] = /** @type {Corners} */ (lines)
  const down = { x: first.y - second.y, y: second.x - first.x }
  const [above, below] = [minus(top, first), minus(bottom, last)]
  const upper = along(above, down) < 0 ? [first, second].map((corner) => plus(corner, above)) : [first, second]
  const lower = along(below, down) > 0 ? [third, last].map((corner) => plus(corner, below)) : [third, last]
  return [...upper, ...lower]
}

/** Whether the readings at two places may be of one code. @type {(one: Point[], other: Point[]) => boolean} */
export function areNear(one, other) {
  return between(middleOf(one), middleOf(other)) <= NEAR * Math.max(sidesOf(one)[0], sidesOf(other)[0])
}

/** Return the codes in the part of a video that its element shows, as it covers that. @type {(codes: import('./types.js').Code[], video: {videoWidth: number, videoHeight: number, clientWidth: number, clientHeight: number}) => import('./types.js').SeenCode[]} */
export function visible(codes, { videoWidth, videoHeight, clientWidth, clientHeight }) {
  const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight)
  const [width, height] = [clientWidth / scale, clientHeight / scale]
  const reach = CENTRAL * Math.min(width, height)
  const isAround = (/** @type {number[]} */ ends) => Math.min(...ends) <= reach && Math.max(...ends) >= -reach
  return codes.flatMap((code) => {
    const corners = code.position.map((corner) => minus(corner, { x: videoWidth / 2, y: videoHeight / 2 }))
    const { x, y } = middleOf(corners)
    if (Math.abs(x) > width / 2 || Math.abs(y) > height / 2) return []
    const isCentral = isAround(corners.map((corner) => corner.x)) && isAround(corners.map((corner) => corner.y))
    return [{ ...code, distance: Math.hypot(x, y), isCentral }]
  })
}
