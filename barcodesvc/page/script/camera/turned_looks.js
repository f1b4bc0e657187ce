/**
 * Which turned copies of a picture are read besides the picture itself: zxing-cpp finds linear codes only where they are
 * nearly level or upright.
 *
 * Rule: two copies at each picture, so that a video is read at all angles within three pictures, whatever is found. One
 * more copy has the angle that showed a code; a code in doubt is looked at again from nearly the same angle.
 */

/** Degrees: steps of 15, because a low code is read up to 11 off. Right angles come with each. */
const TURNS = [15, -15, 45, 30, -30]

const AT_A_PICTURE = 2

/** Degrees: less than the slant at which a code is no longer read. */
const NUDGE = 4

/** Turns that are kept for the next pictures. */
const KEPT = 2

/** Pictures for all angles. */
export const ROUND = Math.ceil(TURNS.length / AT_A_PICTURE)

export class TurnedLooks {
  /** The turn that is next. */
  #next = 0

  /** Further turns, the next one first. @type {number[]} */
  #kept = []

  /** Return the turns for the next picture, in degrees. */
  turns() {
    const turns = this.#kept.splice(0, 1)
    for (let count = 0; count < AT_A_PICTURE; count++) {
      const turn = /** @type {number} */ (TURNS[this.#next++ % TURNS.length])
      if (!turns.includes(turn)) turns.push(turn)
    }
    return turns
  }

  /**
   * Process what a look has shown: the next picture is looked at in the same way, if a turn was needed.
   * @param {number} degrees @param {boolean} isDoubtful
   */
  found(degrees, isDoubtful) {
    if (!isDoubtful && degrees) this.#keep(degrees)
    else if (isDoubtful && (degrees === 0 || TURNS.includes(degrees))) this.#keep(degrees + NUDGE, degrees - NUDGE)
  }

  /** @param {...number} turns */
  #keep(...turns) {
    this.#kept = [...turns, ...this.#kept].slice(0, KEPT)
  }
}

/**
 * Return where a point of a turned copy is in the picture. Both have the same size, and the same middle.
 * @param {{x: number, y: number}} point @param {number} degrees by which the copy is turned clockwise
 * @param {{width: number, height: number}} size
 */
export function turnedBack({ x, y }, degrees, { width, height }) {
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const [across, down] = [x - width / 2, y - height / 2]
  return { x: cosine * across + sine * down + width / 2, y: cosine * down - sine * across + height / 2 }
}
