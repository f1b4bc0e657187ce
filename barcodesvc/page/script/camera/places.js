/** Places in the picture of a camera, in its pixels: what of it is visible, and where in it a code is. */

/** @typedef {{x: number, y: number}} Point */
/** @typedef {{x: number, y: number, width: number, height: number}} Area */

/** How far from the middle a central code may end, as a part of the smaller side of the visible picture. */
const CENTRAL = 0.1

/** The distance of the middles of two codes, by the longer width, up to which they may be one. */
const NEAR = 0.5

const ZERO = { x: 0, y: 0 }

/** @param {Point[]} corners */
export function middleOf(corners) {
  return { x: mean(corners.map(({ x }) => x)), y: mean(corners.map(({ y }) => y)) }
}

/** Return the width and the height of a code. @param {Point[]} corners @returns {[number, number]} */
export function sidesOf(corners) {
  const [first, second, third, last] = /** @type {[Point, Point, Point, Point]} */ (corners)
  return [
    Math.max(between(first, second), between(last, third)),
    Math.max(between(first, last), between(second, third)),
  ]
}

/**
 * Return by how much the last row of a code is apart from the first one in the direction of its rows, by its width: 0 if
 * it is right below.
 * @param {Point[]} corners
 */
export function slantOf(corners) {
  const [first, second, , last] = /** @type {[Point, Point, Point, Point]} */ (corners)
  const [across, down] = [second.x - first.x, second.y - first.y]
  return ((last.x - first.x) * across + (last.y - first.y) * down) / (across ** 2 + down ** 2 || 1)
}

/**
 * Return the place of a code, extended up and down over other lines of it, which run in the same direction.
 * @param {Point[]} corners @param {Point[]} lines
 */
export function extended(corners, lines) {
  const [first, second, third, last] = /** @type {[Point, Point, Point, Point]} */ (corners)
  const [top, , , bottom] = /** @type {[Point, Point, Point, Point]} */ (lines)
  const [up, down] = [step(first, top), step(last, bottom)]
  const below = { x: first.y - second.y, y: second.x - first.x }
  const [above, beneath] = [isAlong(up, { x: -below.x, y: -below.y }) ? up : ZERO, isAlong(down, below) ? down : ZERO]
  return [moved(first, above), moved(second, above), moved(third, beneath), moved(last, beneath)]
}

/** Whether the readings at two places may be of one code. @param {Point[]} one @param {Point[]} other */
export function areNear(one, other) {
  return between(middleOf(one), middleOf(other)) <= NEAR * Math.max(sidesOf(one)[0], sidesOf(other)[0])
}

/** @param {Point} one @param {Point} other */
function between(one, other) {
  return Math.hypot(one.x - other.x, one.y - other.y)
}

/**
 * Return the part of a video that its element shows: it covers the element, and is cut off at two sides.
 * @param {{videoWidth: number, videoHeight: number, clientWidth: number, clientHeight: number}} video @returns {Area}
 */
export function visiblePart({ videoWidth, videoHeight, clientWidth, clientHeight }) {
  const scale = Math.max(clientWidth / videoWidth, clientHeight / videoHeight)
  const [width, height] = [clientWidth / scale, clientHeight / scale]
  return { x: (videoWidth - width) / 2, y: (videoHeight - height) / 2, width, height }
}

/** @param {Point} point @param {Area} area */
export function isInside(point, { x, y, width, height }) {
  return point.x >= x && point.x <= x + width && point.y >= y && point.y <= y + height
}

/**
 * Return how far a code is from the middle of an area, and whether it reaches it, about.
 * @param {Point[]} corners @param {Area} area
 */
export function inArea(corners, { x, y, width, height }) {
  const middle = { x: x + width / 2, y: y + height / 2 }
  const { x: across, y: down } = middleOf(corners)
  const reach = CENTRAL * Math.min(width, height)
  const [xs, ys] = [corners.map((corner) => corner.x), corners.map((corner) => corner.y)]
  const isCentral =
    Math.min(...xs) - reach <= middle.x &&
    middle.x <= Math.max(...xs) + reach &&
    Math.min(...ys) - reach <= middle.y &&
    middle.y <= Math.max(...ys) + reach
  return { distance: Math.hypot(across - middle.x, down - middle.y), isCentral }
}

/** @param {number[]} numbers */
function mean(numbers) {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

/** @param {Point} from @param {Point} to */
function step(from, to) {
  return { x: to.x - from.x, y: to.y - from.y }
}

/** @param {Point} point @param {Point} by */
function moved(point, by) {
  return { x: point.x + by.x, y: point.y + by.y }
}

/** @param {Point} one @param {Point} other */
function isAlong(one, other) {
  return one.x * other.x + one.y * other.y > 0
}
