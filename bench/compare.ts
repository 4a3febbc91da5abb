import {
  type Case,
  clientTokenCase,
  databaseCase,
  deputyCases,
  floorCase,
  prepareIdentities,
  processCase,
  requestsOf,
} from './cases.ts'
import { startDatabases } from './databases.ts'
import type { Measurement } from './generator.ts'
import { type Generator, startGenerator } from './load.ts'
import { processorTime_us } from './processor-time.ts'
import { type Columns, medianOf, tableOf, writeReport } from './report.ts'
import {
  startDeputyProgram,
  startFloor,
  startOidcPeer,
  startPeer,
  startPostgresPeer,
  withDirectory,
} from './servers.ts'

export interface Settings {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly warm_up_seconds: number
  /** Names of the cases to run in addition to the floor. Empty means all. */
  readonly only: readonly string[]
}

/** Medians over the rounds. Each measurement is divided by the floor measured just before and just after it. */
export interface Figures {
  readonly name: string
  readonly requests_per_s: number
  readonly of_floor: Spread
  readonly p50_ms: number
  readonly p99_ms: number
  readonly processor_us: number
  /** Processor time of a request to the floor, divided by that of a request to the case. Steadier than the clock. */
  readonly of_floor_processor: Spread
  readonly p99_of_floor: Spread
  readonly measurements: readonly Compared[]
}

export interface Spread {
  readonly least: number
  readonly median: number
  readonly most: number
}

interface Costed extends Measurement {
  /** Processor time per request of the processes that the case names. NaN if it names none. */
  readonly processor_us: number
}

interface Compared extends Costed {
  readonly of_floor: number
  readonly of_floor_processor: number
  readonly p99_of_floor: number
}

/**
 * Runs every case in every round, starting each round with another case. Measures the floor between any two cases, so
 * that a slow moment of the machine affects both sides of a ratio.
 */
export async function compare(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const floor = await startFloor(directory)
    const postgres = await startDatabases(directory)
    const { DEPUTY_DATABASE_URL: database } = await postgres.database()
    const peers = {
      sqlite: await startPeer(directory),
      postgres: await startPostgresPeer(directory, database),
      oidc: await startOidcPeer(directory),
    }
    const deputy = await startDeputyProgram(directory)
    try {
      const cases = chosen(settings.only, [
        ...deputyCases(deputy.url, await prepareIdentities(deputy.url)).map((one) =>
          processCase(deputy, one),
        ),
        processCase(
          peers.sqlite,
          floorCase(peers.sqlite.url, 'peer: Fastify, one SQLite commit per request'),
        ),
        databaseCase(
          postgres,
          peers.postgres,
          floorCase(peers.postgres.url, 'peer: Fastify, one PostgreSQL commit per request'),
        ),
        processCase(peers.oidc, clientTokenCase(peers.oidc.url)),
      ])
      const figures = await alternate(generator, processCase(floor, floorCase(floor.url)), cases, settings)
      writeReport('latest', settings, figures, tableOf(figures, COLUMNS))
    } finally {
      generator.stop()
      await Promise.all([floor, ...Object.values(peers)].map((program) => program.kill()))
      await deputy.stop()
      await postgres.stop()
    }
  })
}

export function chosen(only: readonly string[], cases: readonly Case[]): Case[] {
  const unknown = only.filter((name) => !cases.some((one) => one.name === name))
  if (unknown.length > 0)
    throw new Error(
      `no such case: ${unknown.join(', ')}. There are: ${cases.map(({ name }) => name).join('; ')}`,
    )
  return cases.filter(({ name }) => only.length === 0 || only.includes(name))
}

export async function alternate(
  generator: Generator,
  floor: Case,
  cases: readonly Case[],
  { seconds, rounds, connections, warm_up_seconds }: Settings,
): Promise<Figures[]> {
  const run = async (one: Case, duration: number): Promise<Costed> => {
    const { name: _, processes = [], calls = 1, requests: given, during = AS_IT_IS, ...load } = one
    const requests = requestsOf(given)
    await during.begin()
    const before_us = processorTime_us(processes)
    const measured = await generator.measure({ ...load, requests, connections, seconds: duration })
    const used_us = processes.length === 0 ? Number.NaN : processorTime_us(processes) - before_us
    const answered = measured.answered * calls
    await during.end(answered)
    const requests_per_s = measured.requests_per_s * calls
    return { ...measured, answered, requests_per_s, processor_us: used_us / answered }
  }
  for (const one of [floor, ...cases]) await run(one, warm_up_seconds)

  const floors = [await run(floor, seconds / 2)]
  const measured = new Map<string, Compared[]>(cases.map(({ name }) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const one of rotated(cases, round)) {
      const measurement = await run(one, seconds)
      floors.push(await run(floor, seconds / 2))
      const compared = comparedWith(floors.slice(-2), measurement)
      measured.get(one.name)?.push(compared)
      process.stderr.write(progress(`round ${round + 1}/${rounds}`, one.name, compared))
    }
  }
  return [
    figuresOf(
      floor.name,
      floors.map((measurement) => comparedWith([measurement], measurement)),
    ),
    ...cases.map(({ name }) => figuresOf(name, measured.get(name) ?? [])),
  ]
}

const AS_IT_IS = { async begin() {}, async end() {} }

function progress(round: string, name: string, figures: Compared): string {
  const { requests_per_s, of_floor, processor_us } = figures
  return `${round}  ${name.padEnd(48)} ${requests_per_s.toFixed(0).padStart(7)}/s  ${of_floor.toFixed(2)}  ${processor_us.toFixed(0).padStart(4)} us\n`
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}

function comparedWith(floors: readonly Costed[], measurement: Costed): Compared {
  const mean = (of: (floor: Costed) => number) =>
    floors.reduce((sum, floor) => sum + of(floor), 0) / floors.length
  return {
    ...measurement,
    of_floor: measurement.requests_per_s / mean(({ requests_per_s }) => requests_per_s),
    of_floor_processor: mean(({ processor_us }) => processor_us) / measurement.processor_us,
    p99_of_floor: measurement.p99_ms / mean(({ p99_ms }) => p99_ms),
  }
}

function figuresOf(name: string, measurements: readonly Compared[]): Figures {
  return {
    name,
    requests_per_s: medianOf(measurements.map(({ requests_per_s }) => requests_per_s)),
    of_floor: rangeOf(measurements.map(({ of_floor }) => of_floor)),
    p50_ms: medianOf(measurements.map(({ p50_ms }) => p50_ms)),
    p99_ms: medianOf(measurements.map(({ p99_ms }) => p99_ms)),
    processor_us: medianOf(measurements.map(({ processor_us }) => processor_us)),
    of_floor_processor: rangeOf(measurements.map(({ of_floor_processor }) => of_floor_processor)),
    p99_of_floor: rangeOf(measurements.map(({ p99_of_floor }) => p99_of_floor)),
    measurements,
  }
}

function rangeOf(values: readonly number[]): Spread {
  return { least: Math.min(...values), median: medianOf(values), most: Math.max(...values) }
}

export function leastToMost({ least, most }: Spread, digits = 2): string {
  return `${least.toFixed(digits)} to ${most.toFixed(digits)}`
}

const COLUMNS: Columns<Figures> = {
  case: ({ name }) => name,
  'requests/s': ({ requests_per_s }) => requests_per_s.toFixed(0),
  'of the floor': ({ of_floor }) => of_floor.median.toFixed(2),
  'least to most': ({ of_floor }) => leastToMost(of_floor),
  'processor us': ({ processor_us }) => processor_us.toFixed(0),
  'of the floor by processor time': ({ of_floor_processor }) => of_floor_processor.median.toFixed(2),
  'p50 ms': ({ p50_ms }) => p50_ms.toFixed(1),
  'p99 ms': ({ p99_ms }) => p99_ms.toFixed(1),
  'p99 of the floor': ({ p99_of_floor }) => p99_of_floor.median.toFixed(1),
}
