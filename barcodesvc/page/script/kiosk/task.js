/**
 * One task of the kiosk: a product and its copies, without its screen.
 *
 * Rule: the task is that of the last scan, so Enter prints what was scanned. Another product replaces it at once, and a
 * button brings it back. More digits than copies can have are a code that a slow scanner typed, and print nothing. A task
 * that may be printed already stays as it is, so that it is printed again as the same job.
 */

/** Copies that a kiosk prints at most. */
export const MOST_COPIES = 500

/** @typedef {{id: number, product_code: string, description: string}} Product */
/** `counted` are the copies without the digits that were `typed`; `sent` is the order that may be printed, with its key. @typedef {{product: Product, code: string, counted: number, typed: string, isRefused: boolean, sent: {order: import('../types.js').Order, key: string} | null}} Task */

/** @type {(product: Product, code: string) => Task} */
export function beginTask(product, code) {
  return { product, code, counted: 1, typed: '', isRefused: false, sent: null }
}

/** @param {Task} task */
export function copiesOf(task) {
  if (task.typed === '') return task.counted
  return isTooMany(task) ? 1 : Number(task.typed) || 1
}

/** Whether more was typed than a number of copies. @param {Task} task */
export function isTooMany({ typed }) {
  return Number(typed) > MOST_COPIES
}

/** Whether something would be lost with a task. @param {Task} task */
export function isWorthKeeping(task) {
  return copiesOf(task) > 1
}

/** Add copies, or take some away. @type {(task: Task, by: number) => Task} */
export function stepCopies(task, by) {
  return changed(task, { counted: Math.min(MOST_COPIES, Math.max(1, copiesOf(task) + by)), typed: '' })
}

/** Add digits to what was typed; the first one replaces the copies. @type {(task: Task, digits: string) => Task} */
export function typeDigits(task, digits) {
  const typed = (task.typed + digits).replace(/^0+(?=\d)/, '')
  return changed(task, { typed: typed.slice(0, String(MOST_COPIES).length + 1) })
}

/** Take back the last digits, which were part of a code. @type {(task: Task, count: number) => Task} */
export function takeBackDigits(task, count) {
  return changed(task, { typed: task.typed.slice(0, -count) })
}

/** Delete the last digit; without one, begin with one copy again. @param {Task} task */
export function eraseDigit(task) {
  const typed = task.typed.slice(0, -1)
  return changed(task, { typed, counted: typed ? task.counted : 1 })
}

/** Begin with one copy again. @param {Task} task */
export function clearCopies(task) {
  return changed(task, { typed: '', counted: 1 })
}

/** @type {(task: Task, change: Partial<Task>) => Task} */
function changed(task, change) {
  return task.sent ? task : { ...task, ...change }
}
