import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Case, deputyCases, prepareIdentities, requestsOf } from './cases.ts'
import type { Settings } from './compare.ts'
import { startDatabases } from './databases.ts'
import { startGenerator } from './load.ts'
import { markdownTable } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

const TOP = 25
export const INTERVAL_US = 250

/** The members of a V8 CPU profile that are read here. Times are microseconds of the monotonic clock. */
interface CpuProfile {
  readonly startTime: number
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** A time span on the monotonic clock, in microseconds. */
interface Window {
  readonly from_us: number
  readonly to_us: number
}

/** Applies load to one case while V8 samples both threads of the server, and prints the time spent in each function. */
export async function profile(
  { seconds, connections, warm_up_seconds, only }: Settings,
  isOnPostgres: boolean,
): Promise<void> {
  await withDirectory(async (directory) => {
    const flags = ['--cpu-prof', `--cpu-prof-interval=${INTERVAL_US}`, `--cpu-prof-dir=${directory}`]
    const postgres = isOnPostgres ? await startDatabases(directory) : undefined
    const env = postgres === undefined ? {} : await postgres.database()
    const deputy = await startDeputyProgram(directory, { flags, env })
    const generator = startGenerator()
    try {
      const one = named(
        only[0] ?? 'record/action',
        deputyCases(deputy.url, await prepareIdentities(deputy.url)),
      )
      const load = { url: one.url, requests: requestsOf(one.requests), expects: one.expects, connections }
      await generator.measure({ ...load, seconds: warm_up_seconds })
      const before = await batchesOf(deputy.url)
      const from_us = now_us()
      const { answered, requests_per_s } = await generator.measure({ ...load, seconds })
      const window = { from_us, to_us: now_us() }
      const after = await batchesOf(deputy.url)
      await deputy.stop()

      process.stdout.write(`\n${one.name}: ${requests_per_s.toFixed(0)} requests/s while profiled\n`)
      const batches = after.count - before.count
      if (batches > 0)
        process.stdout.write(
          `${((after.commands - before.commands) / batches).toFixed(1)} commands in a batch, ${(((after.seconds - before.seconds) / batches) * 1000).toFixed(2)} ms for a batch\n`,
        )
      for (const name of readdirSync(directory).filter((file) => file.endsWith('.cpuprofile')))
        printThread(threadOf(name), join(directory, name), window, answered)
    } finally {
      generator.stop()
      if (deputy.process.exitCode === null) await deputy.kill()
      await postgres?.stop()
    }
  })
}

function named(name: string, cases: readonly Case[]): Case {
  const one = cases.find((candidate) => candidate.name === name)
  if (one === undefined)
    throw new Error(
      `no such case: ${name}. There are: ${cases.map((candidate) => candidate.name).join('; ')}`,
    )
  return one
}

export function now_us(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Node names a profile CPU.<date>.<time>.<process>.<thread>.<sequence>.cpuprofile. */
function threadOf(name: string): string {
  return name.split('.')[4] === '0' ? 'main thread' : 'writing thread'
}

export function printThread(thread: string, file: string, window: Window, answered: number): void {
  const self_us = selfTimes(JSON.parse(readFileSync(file, 'utf8')), window)
  const total_us = window.to_us - window.from_us
  const ranked = [...self_us].sort(([, a], [, b]) => b - a).slice(0, TOP)
  const busy_us = total_us - (self_us.get('(idle)') ?? 0)
  process.stdout.write(
    `\n${thread}: busy ${((busy_us / total_us) * 100).toFixed(0)} %, ${(busy_us / answered).toFixed(1)} us a request\n\n`,
  )
  const rows = ranked.map(([name, us]) => [
    name,
    `${((us / total_us) * 100).toFixed(1)} %`,
    (us / answered).toFixed(2),
  ])
  process.stdout.write(`${markdownTable([['function', 'self', 'us a request'], ...rows])}\n`)
}

/** Time spent in each function, without its callees, for the samples within the window. */
function selfTimes(
  { startTime, nodes, samples, timeDeltas }: CpuProfile,
  window: Window,
): Map<string, number> {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const self_us = new Map<string, number>()
  let at_us = startTime
  for (const [index, id] of samples.entries()) {
    const delta_us = timeDeltas[index] ?? 0
    at_us += delta_us
    if (at_us < window.from_us || at_us > window.to_us) continue
    const name = names.get(id) ?? '(unknown)'
    self_us.set(name, (self_us.get(name) ?? 0) + delta_us)
  }
  return self_us
}

function nameOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const place = url.split('/').slice(-3).join('/')
  return `${functionName || '(anonymous)'}${place === '' ? '' : ` ${place}:${lineNumber + 1}`}`
}

/** The server's own counters of its batches. */
async function batchesOf(url: string): Promise<{ count: number; commands: number; seconds: number }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0)
  return {
    count: value('deputy_batch_commands_count'),
    commands: value('deputy_batch_commands_sum'),
    seconds: value('deputy_batch_duration_seconds_sum'),
  }
}
