import { type Case, deputyCases, floorCase, prepareIdentities, requestsOf } from './cases.ts'
import type { Measurement } from './generator.ts'
import { type Generator, startGenerator } from './load.ts'
import { processorTime_us } from './processor-time.ts'
import { type Columns, medianOf, tableOf, writeReport } from './report.ts'
import { startDeputyProgram, startFloor, startPeer, withDirectory } from './servers.ts'

export interface Settings {
  readonly seconds: number
  readonly rounds: number
  readonly connections: number
  readonly warm_up_seconds: number
  /** Names of the cases to run besides the floor. Empty means all. */
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
    const peer = await startPeer(directory)
    const deputy = await startDeputyProgram(directory)
    try {
      const cases = chosen(settings.only, [
        ...deputyCases(deputy.url, await prepareIdentities(deputy.url)),
        floorCase(peer.url, 'peer: Fastify, one SQLite commit per request'),
      ])
      const figures = await alternate(generator, floorCase(floor.url), cases, settings)
      writeReport('latest', settings, figures, tableOf(figures, COLUMNS))
    } finally {
      generator.stop()
      await Promise.all([floor.kill(), peer.kill(), deputy.stop()])
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
  const run = async ({ name: _, processes = [], requests: given, ...load }: Case, duration: number) => {
    const requests = requestsOf(given)
    const before_us = processorTime_us(processes)
    const measurement = await generator.measure({ ...load, requests, connections, seconds: duration })
    const used_us = processes.length === 0 ? Number.NaN : processorTime_us(processes) - before_us
    return { ...measurement, processor_us: used_us / measurement.answered }
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

function progress(round: string, name: string, { requests_per_s, of_floor }: Compared): string {
  return `${round}  ${name.padEnd(46)} ${requests_per_s.toFixed(0).padStart(7)}/s  ${of_floor.toFixed(2)}\n`
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}

function comparedWith(floors: readonly Measurement[], measurement: Costed): Compared {
  const mean = (of: (floor: Measurement) => number) =>
    floors.reduce((sum, floor) => sum + of(floor), 0) / floors.length
  return {
    ...measurement,
    of_floor: measurement.requests_per_s / mean(({ requests_per_s }) => requests_per_s),
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
  'p50 ms': ({ p50_ms }) => p50_ms.toFixed(1),
  'p99 ms': ({ p99_ms }) => p99_ms.toFixed(1),
  'p99 of the floor': ({ p99_of_floor }) => p99_of_floor.median.toFixed(1),
}
