import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts process time in hundredths of a second, whatever its tick rate. */
const TICK_MS = 10

interface RunningProcess {
  readonly pid: number
  readonly parent: number
  /** The processor time of the process and of everything that it started and waited for. */
  readonly cpu_ms: number
}

/** The programs below a process. Empty except on Linux, the only system that shows them without privileges. */
export function descendantsOf(pid: number): RunningProcess[] {
  if (process.platform !== 'linux') return []
  const children = Map.groupBy(runningProcesses(), ({ parent }) => parent)
  const found: RunningProcess[] = []
  const waiting = [pid]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const own = children.get(next) ?? []
    found.push(...own)
    waiting.push(...own.map((child) => child.pid))
  }
  return found
}

/** The processor time of this process and of all programs that it started. Except on Linux, without those programs. */
export function cpuTimeMs(): number {
  if (process.platform !== 'linux')
    return Object.values(process.cpuUsage()).reduce((sum, us) => sum + us / 1000, 0)
  const all = [...processOf(process.pid), ...descendantsOf(process.pid)]
  return all.reduce((sum, { cpu_ms }) => sum + cpu_ms, 0)
}

function runningProcesses(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => processOf(Number(name)))
}

/** Empty if the process has ended. */
function processOf(pid: number): RunningProcess[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The program's name is in parentheses and may contain spaces; state and parent follow it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return [{ pid, parent: Number(fields[1]), cpu_ms: ticks * TICK_MS }]
  } catch {
    return []
  }
}
