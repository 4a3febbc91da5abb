/**
 * Loaded before the tests of a process. Reports the running test to the runner synchronously, so that the runner can
 * name a test that blocks the process. Ends every program that the tests leave running, and reports each of them to the
 * runner, which ends them if this process is killed. Reports the total processor time at the end.
 */
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { beforeEach } from 'node:test'
import { report } from './channel.ts'
import { endProcess } from './end-process.ts'
import { cpuTimeMs } from './processes.ts'

beforeEach((context) => {
  if (!('filePath' in context)) return
  const { user, system } = process.cpuUsage()
  report({
    kind: 'started',
    file: context.filePath ?? '',
    name: context.fullName,
    own_cpu_ms: (user + system) / 1000,
  })
})

const running = new Set<number>()

subscribe('child_process', (message) => {
  const { process: child } = message as { readonly process: ChildProcess } // documented payload of this channel
  child.once('spawn', () => {
    const { pid } = child
    if (pid === undefined) return
    running.add(pid)
    report({ kind: 'child', pid, is_running: true })
    child.once('exit', () => {
      running.delete(pid)
      report({ kind: 'child', pid, is_running: false })
    })
  })
})

process.once('exit', () => {
  report({ kind: 'cpu', cpu_ms: cpuTimeMs() })
  for (const pid of running) endProcess(pid)
})

/** The runner asks a hung process to end. Exiting runs the handlers above. */
process.once('SIGTERM', () => process.exit(1))
