/**
 * The service's clock, as far as this device knows it: its responses carry it, in `Date` (RFC 9110, 6.6.1).
 *
 * Rule: `Date` has whole seconds, and is written while the request is under way. So each response gives a lower and an
 * upper bound of how far the service's clock is ahead; the fastest responses give the tightest. The upper bound is used:
 * a count is never earlier than a change that was made before it. The times of one device only go forward.
 */

/** Milliseconds that `Date` may be behind, since its fractions of a second are cut off. */
const CUT = 1000

/** Maximum milliseconds by which a time is moved forward: one that is further ahead was wrong. */
const MOST_MOVED = 60_000

/** Where the last time of this device is stored, for all its tabs. */
const KEPT_AS = 'barcodesvc.last-time'

export class ServiceClock {
  constructor() {
    /** Lower and upper bound, in milliseconds, of how far the service's clock is ahead of this device's. */
    this.least = -Infinity
    this.most = Infinity
    this.last = -Infinity
  }

  /** Whether a response has given the time. */
  get known() {
    return this.most !== Infinity
  }

  /**
   * Learn from a response.
   *
   * @param {Headers} headers
   * @param {number} asked when the request was sent, by this device's clock
   * @param {number} answered when it came
   */
  learn(headers, asked, answered) {
    const said = Date.parse(headers.get('Date') ?? '')
    // a cached response has the time at which it was cached
    if (Number.isNaN(said) || headers.get('Cache-Control')?.includes('max-age')) return
    const [least, most] = [said - answered, said + CUT - asked]
    // if they contradict the known bounds, one of the clocks was set
    const isSet = least > this.most || most < this.least
    this.least = isSet ? least : Math.max(this.least, least)
    this.most = isSet ? most : Math.min(this.most, most)
  }

  /**
   * Return a moment of this device by the service's clock.
   *
   * @param {string} moment ISO 8601
   */
  timeOf(moment) {
    return new Date(Date.parse(moment) + this.most).toISOString()
  }

  /**
   * Return a moment of this device by the service's clock, later than all moments returned before.
   *
   * @param {string} moment ISO 8601
   */
  nextTimeOf(moment) {
    const time = Date.parse(moment) + this.most
    const last = Math.max(this.last, kept())
    this.last = last >= time && last - time < MOST_MOVED ? last + 1 : time
    keep(this.last)
    return new Date(this.last).toISOString()
  }
}

function kept() {
  try {
    return Number(localStorage.getItem(KEPT_AS))
  } catch {
    return 0
  }
}

/** @param {number} time */
function keep(time) {
  try {
    localStorage.setItem(KEPT_AS, String(time))
  } catch {
    // full or forbidden: each tab goes forward separately
  }
}

/** The clock of the service that this page comes from. */
export const serviceClock = new ServiceClock()
