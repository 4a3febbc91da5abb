/**
 * Loaded before the tests of a process. Tells the runner which test runs, synchronously, so that it can name one that
 * blocks the process. Ends every program that the tests leave running, and reports each one to the
 * runner, which ends them if this process is killed. Says at the end how much processor time they all used. Charges an error
 * that nobody caught to the test that runs, and ends the process: the test may wait for what the error prevented.
 */
import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { inspect } from 'node:util'
import { report } from './channel.ts'
import { endProcess } from './end-process.ts'
import { cpuTimeMs } from './processes.ts'
import { keepAfter, onTestStart } from './running-tests.ts'
import { stopTracking } from './untracked.ts'

let current = { file: '', name: 'the start of the process' }

keepAfter()

onTestStart((test) => {
  stopTracking()
  const { user, system } = process.cpuUsage()
  current = { file: test.filePath ?? '', name: test.fullName }
  report({ kind: 'started', ...current, own_cpu_ms: (user + system) / 1000 })
})

process.prependListener('uncaughtException', endWith)
process.prependListener('unhandledRejection', endWith)

function endWith(error: unknown): void {
  const { file, name } = current
  const reason = `Nobody caught ${inspect(error)}`
  report({ kind: 'outcome', file, path: [name], result: 'failed', is_suite: false, duration_ms: 0, reason })
  process.exit(1)
}

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
