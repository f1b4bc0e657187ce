/**
 * Groups the movements of one act of a machine, such as an import, so that a list shows them as one row.
 *
 * Rule: a person who scans quickly is not a machine. A group has movements one after the other with the same author and
 * reason: at exactly the same time and not scanned, or at least LEAST of them, each within NEAR of the next.
 */

/** Movements that a group has at least if their times differ. */
const LEAST = 5

/** Milliseconds between two movements of a group at most. */
const NEAR = 1000

/**
 * @typedef {{updated_at: string, scanned_at?: string | null, updated_by: string, change_reason: string, undoes: number | null}} Movement
 */

/**
 * Return the movements in groups, in their order; a movement that belongs to none is a group of one.
 *
 * @template {Movement} Change
 * @param {readonly Change[]} changes
 * @returns {Change[][]}
 */
export function groupsOf(changes) {
  return runs(changes).flatMap((run) => (isGroup(run) ? [run] : run.map((change) => [change])))
}

/**
 * Whether the last movements are a group, so that further ones may belong to it.
 *
 * @param {readonly Movement[]} changes
 */
export function endsInGroup(changes) {
  return (groupsOf(changes.slice(-LEAST)).at(-1)?.length ?? 0) > 1
}

/** @param {readonly Movement[]} run */
function isGroup([first, ...others]) {
  const isAtOnce = others.every((each) => !each.scanned_at && each.updated_at === first?.updated_at)
  return others.length + 1 >= LEAST || (isAtOnce && !first?.scanned_at)
}

/**
 * @template {Movement} Change
 * @param {readonly Change[]} changes
 */
function runs(changes) {
  /** @type {Change[][]} */
  const found = []
  for (const change of changes) {
    const run = found.at(-1)
    const previous = run?.at(-1)
    if (run && previous && belong(previous, change)) run.push(change)
    else found.push([change])
  }
  return found
}

/**
 * @param {Movement} one
 * @param {Movement} other
 */
function belong(one, other) {
  return (
    one.change_reason !== '' &&
    one.change_reason === other.change_reason &&
    one.updated_by === other.updated_by &&
    one.undoes === null &&
    other.undoes === null &&
    Math.abs(timeOf(one) - timeOf(other)) <= NEAR
  )
}

/** @param {Movement} movement a scan may be sent much later */
function timeOf({ scanned_at, updated_at }) {
  return Date.parse(scanned_at ?? updated_at)
}
