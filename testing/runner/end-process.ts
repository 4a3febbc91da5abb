import { descendantsOf } from './processes.ts'

/** Kills a process, the process group that it leads, and everything that it started. */
export function endProcess(pid: number): void {
  // Programs may start others in separate groups.
  const started = descendantsOf(pid).map((child) => child.pid) // before the kill: orphans no longer name their parent
  for (const target of [-pid, pid, ...started]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It has ended, or leads no group.
    }
  }
}
