import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Linux reports processor time in hundredths of a second. */
const TICK_US = 10_000

interface Usage {
  readonly parent: number
  readonly own_us: number
  /** Of children that have exited. */
  readonly ended_us: number
}

/**
 * Processor time in microseconds of these processes and all their descendants, including those that have exited. On a
 * shared machine it is more stable than elapsed time, because it excludes waiting.
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

/** Processor time in microseconds of this process's children that have exited. */
export function endedChildrenTime_us(): number {
  const [[, usage] = []] = usageOf(String(process.pid))
  return usage?.ended_us ?? Number.NaN
}

/** Processor time in microseconds of everything on this machine, plus the time that its host gave to other machines. */
export function busyTime_us(): number {
  if (!existsSync('/proc/stat')) return Number.NaN
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, soft = 0, stolen = 0] =
    readFileSync('/proc/stat', 'utf8').split('\n')[0]?.split(/\s+/).slice(1).map(Number) ?? []
  return (user + nice + system + interrupts + soft + stolen) * TICK_US
}

/** Processor time in microseconds of a process's threads: those of normal priority, and those of lower priority. */
export function threadTimes_us(pid: number): { readonly ordinary: number; readonly behind: number } {
  const times = { ordinary: 0, behind: 0 }
  if (!existsSync(`/proc/${pid}/task`)) return { ordinary: Number.NaN, behind: Number.NaN }
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const fields = statOf(`/proc/${pid}/task/${thread}/stat`)
    const [user = 0, system = 0, , , , nice = 0] = fields.slice(11)
    times[nice > 0 ? 'behind' : 'ordinary'] += (user + system) * TICK_US
  }
  return times
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

/** Undefined if the process has exited. */
function usageOf(pid: string): [number, Usage][] {
  try {
    const fields = statOf(`/proc/${pid}/stat`)
    const [, parent = 0] = fields
    const [user = 0, system = 0, children_user = 0, children_system = 0] = fields.slice(11, 15)
    const own_us = (user + system) * TICK_US
    return [[Number(pid), { parent, own_us, ended_us: (children_user + children_system) * TICK_US }]]
  } catch {
    return []
  }
}

/** The fields after the name, which is in parentheses. The first field, the state, isn't a number. */
function statOf(file: string): number[] {
  return (readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ') ?? []).map(Number)
}
