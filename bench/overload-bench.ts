import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Program } from '@deputize/testing/program.ts'
import { deputyCases, post, prepareIdentities, requestsOf } from './cases.ts'
import type { Settings } from './compare.ts'
import { type Generator, startGenerator } from './load.ts'
import type { OpenLoad, OpenMeasurement } from './open-loop.ts'
import { busyTime_us, processorTime_us } from './processor-time.ts'
import { quantileOf } from './quantile.ts'
import { writeReport } from './report.ts'
import { pathOf, startDeputyProgram, withDirectory } from './servers.ts'

/** Load 1, as a share of the service's maximum: the highest rate that it can sustain. */
const SUSTAINED = 0.7
/** The first round warms up: connections open and the code is compiled. */
const TIMES = [1, 1, 2, 3, 1]
const CONNECTIONS = 2_000
const BETWEEN_STOPS_MS = 50

/**
 * Measures record/action, or the case named by --only, under overload: how long accepted calls take at one, two and
 * three times the load that the service can sustain, how fast the others are refused, how long a revocation takes
 * meanwhile, and how the service does right afterwards.
 */
export async function overloadBench({ seconds, connections, only }: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const deputy = await startDeputyProgram(directory, {
      env: { DEPUTY_CONNECTION_LIMIT: String(CONNECTIONS * 2) },
    })
    const generator = startGenerator()
    const child = fork(pathOf('./open-loop.ts'))
    try {
      await measureOverload(deputy, generator, child, { seconds, connections, only })
    } finally {
      generator.stop()
      child.disconnect()
      await deputy.stop()
    }
  })
}

async function measureOverload(
  deputy: Program,
  generator: Generator,
  child: ChildProcess,
  { seconds, connections, only }: Pick<Settings, 'seconds' | 'connections' | 'only'>,
): Promise<void> {
  const cases = deputyCases(deputy.url, await prepareIdentities(deputy.url))
  const load = cases.find(({ name }) => name === (only[0] ?? 'record/action'))
  if (load === undefined)
    throw new Error(`--only must be one of: ${cases.map(({ name }) => name).join(', ')}`)
  const requests = requestsOf(load.requests)
  const closed = { ...load, requests, connections, seconds }
  await generator.measure({ ...closed, seconds: 2 })
  await prepareStops(deputy.url, 1) // anything in progress when the connections closed is done before this
  const { requests_per_s: most } = await generator.measure(closed)
  const once_per_s = most * SUSTAINED
  const figures: Figure[] = []
  for (const times of TIMES) {
    const stops = await prepareStops(deputy.url, (seconds * 1000) / BETWEEN_STOPS_MS)
    child.send({
      url: deputy.url,
      requests_per_s: once_per_s * times,
      seconds,
      requests,
      connections: CONNECTIONS,
    } satisfies OpenLoad)
    const busy_us = busyTime_us()
    const own_us = processorTime_us([process.pid])
    const began_ms = performance.now()
    const answered = once(child, 'message') as Promise<[OpenMeasurement]> // it sends nothing else
    const stop_p99_ms = await timeStops(deputy.url, stops)
    const [measured] = await answered
    const others_us = busyTime_us() - busy_us - (processorTime_us([process.pid]) - own_us)
    const others = others_us / 1000 / (performance.now() - began_ms)
    figures.push({ ...measured, times, stop_p99_ms, others, resident_mb: residentMb(deputy.process.pid) })
  }
  writeReport('overload', { case: load.name, seconds, once_per_s }, figures, [
    [
      'load',
      'due/s',
      'accepted/s',
      'accepted p50 ms',
      'p99 ms',
      'refused',
      'refused p50 ms',
      'refused p95 ms',
      'refused p99 ms',
      'revoke p99 ms',
      'unanswered',
      'accepted p99 from sent ms',
      'refused p99 from sent ms',
      'sent late p99 ms',
      'generator lag p99 ms',
      'other programs',
      'memory MB',
    ],
    ...figures.map((figure) => [
      `${figure.times}x`,
      (once_per_s * figure.times).toFixed(0),
      figure.requests_per_s.toFixed(0),
      figure.accepted_p50_ms.toFixed(1),
      figure.accepted_p99_ms.toFixed(1),
      String(figure.refused + figure.other),
      figure.refused_p50_ms.toFixed(1),
      figure.refused_p95_ms.toFixed(1),
      figure.refused_p99_ms.toFixed(1),
      figure.stop_p99_ms.toFixed(1),
      String(figure.unanswered),
      figure.accepted_p99_from_sent_ms.toFixed(1),
      figure.refused_p99_from_sent_ms.toFixed(1),
      figure.sent_late_p99_ms.toFixed(1),
      figure.own_lag_p99_ms.toFixed(1),
      `${(figure.others * 100).toFixed(0)} %`,
      figure.resident_mb.toFixed(0),
    ]),
  ])
}

interface Figure extends OpenMeasurement {
  readonly times: number
  readonly stop_p99_ms: number
  /** What programs other than the bench used meanwhile, in cores. */
  readonly others: number
  readonly resident_mb: number
}

/** Tokens to revoke. */
async function prepareStops(url: string, count: number): Promise<string[]> {
  const jtis: string[] = []
  while (jtis.length < count) {
    const { jti } = await post(url, '/v1/vat/issue/l1', {
      developer_email: 'stopped@example.com',
      agent_id: 'bench-stopped',
      resources: ['calendar:events'],
      actions: ['read'],
    })
    jtis.push(jti)
  }
  return jtis
}

/** Revokes tokens in turn, from this process, which does nothing else. Fails if one is refused. */
async function timeStops(url: string, jtis: readonly string[]): Promise<number> {
  const took_ms: number[] = []
  for (const vat_jti of jtis) {
    const began_ms = performance.now()
    await post(url, '/v1/vat/revoke', { vat_jti })
    took_ms.push(performance.now() - began_ms)
    await setTimeout(Math.max(0, BETWEEN_STOPS_MS - (performance.now() - began_ms)))
  }
  return quantileOf(took_ms, 0.99)
}

function residentMb(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN // only Linux reports it
  }
}
