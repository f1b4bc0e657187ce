/**
 * The service's clock, as far as this device knows it: its answers carry it, in `Date` (RFC 9110, 6.6.1).
 *
 * Rule: a device's clock that the service puts up with is left alone. Its times are finer than the seconds of an answer,
 * and always in the order of its bookings.
 */

/** Milliseconds by which a device's clock may be wrong; the service takes times up to 5 minutes ahead. */
const BORNE = 4 * 60_000

export class ServiceClock {
  constructor() {
    /** Whether an answer has said what time it is. */
    this.known = false
    /** Milliseconds by which the service's clock is ahead of this device's. */
    this.ahead = 0
  }

  /**
   * Learn from an answer.
   *
   * @param {Headers} headers
   * @param {number} asked when it was asked for, by this device's clock
   * @param {number} answered when it came
   */
  learn(headers, asked, answered) {
    const said = Date.parse(headers.get('Date') ?? '')
    if (Number.isNaN(said)) return
    this.known = true
    const ahead = said - (asked + answered) / 2
    if (Math.abs(ahead - this.ahead) > BORNE) this.ahead = ahead
  }

  /**
   * Return a moment of this device by the service's clock.
   *
   * @param {string} moment ISO 8601
   */
  timeOf(moment) {
    return new Date(Date.parse(moment) + this.ahead).toISOString()
  }
}

/** The clock of the service that this page comes from. */
export const serviceClock = new ServiceClock()
