import { readdirSync, readFileSync } from 'node:fs'

/** Kills a process with the group that it leads, and everything that it started. */
export function endProcess(pid: number): void {
  const started = descendantsOf(pid) // before the kill: orphans no longer name their parent
  for (const target of [-pid, pid, ...started]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It has ended, or leads no group.
    }
  }
}

/** Programs may start others in groups of their own. Only Linux shows them to a process without privileges. */
function descendantsOf(pid: number): number[] {
  if (process.platform !== 'linux') return []
  const children = Map.groupBy(runningProcesses(), ({ parent }) => parent)
  const found: number[] = []
  const waiting = [pid]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const own = (children.get(next) ?? []).map((child) => child.pid)
    found.push(...own)
    waiting.push(...own)
  }
  return found
}

function runningProcesses(): { readonly pid: number; readonly parent: number }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
        // The name of the program is in parentheses and may contain spaces; state and parent follow it.
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
        return [{ pid: Number(name), parent }]
      } catch {
        return [] // it ended meanwhile
      }
    })
}
