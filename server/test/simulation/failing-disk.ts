import { DatabaseSync, StatementSync } from 'node:sqlite'

const IO_ERROR = 10
const FULL = 13

/** How many statements run until one of them fails. */
let left = Number.POSITIVE_INFINITY
let errcode = IO_ERROR

/** Lets a statement of SQLite fail, once: the next for 1. What it would have read or written is not. */
export function failAtStatement(nth: number, reason: 'broken' | 'full'): void {
  left = nth
  errcode = reason === 'full' ? FULL : IO_ERROR
}

/** Whether none has failed yet. No later one does. */
export function repairDisk(): boolean {
  const isUnused = left > 0
  left = Number.POSITIVE_INFINITY
  return isUnused
}

function step(): void {
  if (left <= 0) return
  left -= 1
  if (left === 0) throw Object.assign(new Error('the simulated disk failed'), { errcode })
}

const { exec } = DatabaseSync.prototype
DatabaseSync.prototype.exec = function (sql) {
  step()
  exec.call(this, sql)
}

for (const method of ['run', 'get', 'all'] as const) {
  const original = StatementSync.prototype[method]
  Object.assign(StatementSync.prototype, {
    [method](this: StatementSync, ...values: Parameters<typeof original>) {
      step()
      return Reflect.apply(original, this, values)
    },
  })
}
