import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Linux tells processor time in hundredths of a second. */
const TICK_US = 10_000

interface Usage {
  readonly parent: number
  readonly own_us: number
  /** Of children that have ended. */
  readonly ended_us: number
}

/**
 * Processor time in microseconds of these processes and of all below them, those that have ended included. On a machine
 * that others use as well it says more than the clock does: it is what the work cost, not how long it had to wait.
 */
export function processorTime_us(roots: readonly number[]): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN
  const usages = new Map(readdirSync('/proc').filter(isNumber).flatMap(usageOf))
  const isBelow = (pid: number): boolean => {
    if (roots.includes(pid)) return true
    const parent = usages.get(pid)?.parent
    return parent !== undefined && parent > 0 && isBelow(parent)
  }
  return [...usages]
    .filter(([pid]) => isBelow(pid))
    .reduce((sum, [, { own_us, ended_us }]) => sum + own_us + ended_us, 0)
}

/** Processor time in microseconds of the children of this process that have ended. */
export function endedChildrenTime_us(): number {
  const [[, usage] = []] = usageOf(String(process.pid))
  return usage?.ended_us ?? Number.NaN
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

/** Nothing for a process that has ended meanwhile. */
function usageOf(pid: string): [number, Usage][] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const [, parent = 0] = fields.map(Number)
    const [user = 0, system = 0, children_user = 0, children_system = 0] = fields.slice(11, 15).map(Number)
    const own_us = (user + system) * TICK_US
    return [[Number(pid), { parent, own_us, ended_us: (children_user + children_system) * TICK_US }]]
  } catch {
    return []
  }
}
