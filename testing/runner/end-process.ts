/** Kills a process, and its group if it leads one. */
export function endProcess(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, 'SIGKILL')
    } catch {
      // It has ended, or leads no group.
    }
  }
}
