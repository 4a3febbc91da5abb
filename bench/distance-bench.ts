import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Case } from './cases.ts'
import { prepareIdentities, readCases, recordCase, requestsOf } from './cases.ts'
import type { Settings } from './compare.ts'
import { type Databases, startDatabases } from './databases.ts'
import type { Measurement } from './generator.ts'
import { type Generator, startGenerator } from './load.ts'
import { type Columns, tableOf, writeReport } from './report.ts'
import { pathOf, startDeputyProgram, withDirectory } from './servers.ts'

/** Round trips to the database: the same machine, the same zone, the same region, and another region. */
const ROUND_TRIPS_MS = [0, 1, 4, 20]
const CALLERS = [1, 64, 384]
/** Connections for reads: the default, and more of them. */
const POOLS = [10, 40]

interface Distance {
  readonly round_trip_ms: number
  readonly figures: Readonly<Record<string, Measurement>>
}

/** Measures one node whose database is ever farther away: every byte to and from it is delayed. */
export async function distanceBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const postgres = await startDatabases(directory)
    try {
      const rows: Distance[] = []
      for (const round_trip_ms of ROUND_TRIPS_MS) {
        const figures: Record<string, Measurement> = {}
        for (const pool of POOLS)
          Object.assign(
            figures,
            await measure({ directory, generator, postgres, settings, round_trip_ms, pool }),
          )
        rows.push({ round_trip_ms, figures })
      }
      writeReport('distance', settings, rows, tableOf(rows, COLUMNS))
    } finally {
      generator.stop()
      await postgres.stop()
    }
  })
}

interface Place {
  readonly directory: string
  readonly generator: Generator
  readonly postgres: Databases
  readonly settings: Settings
  readonly round_trip_ms: number
  readonly pool: number
}

async function measure({ directory, generator, postgres, settings, round_trip_ms, pool }: Place) {
  const env = await postgres.database()
  const url = new URL(env.DEPUTY_DATABASE_URL)
  const proxy = fork(pathOf('./delaying-proxy.ts'), [url.port, String(round_trip_ms / 2)])
  const [port] = await once(proxy, 'message')
  url.port = String(port)
  const deputy = await startDeputyProgram(directory, {
    env: { ...env, DEPUTY_DATABASE_URL: url.href, DEPUTY_DATABASE_POOL: String(pool) },
    data: `${round_trip_ms}-${pool}`,
  })
  try {
    const identities = await prepareIdentities(deputy.url)
    const figures: Record<string, Measurement> = {}
    const take = async (name: string, { url: to, requests, expects }: Case, connections: number) => {
      const load = { url: to, requests: requestsOf(requests), expects, connections }
      await generator.measure({ ...load, seconds: settings.warm_up_seconds })
      figures[name] = await generator.measure({ ...load, seconds: settings.seconds })
    }
    if (pool === POOLS[0])
      for (const callers of CALLERS)
        await take(records(callers), recordCase('', deputy.url, identities), callers)
    const [reputation] = readCases(deputy.url, identities).filter(({ name }) => name === 'reputation')
    if (reputation === undefined) throw new Error('there is no case of that name')
    await take(reads(pool), reputation, 64)
    return figures
  } finally {
    await deputy.stop()
    proxy.disconnect()
  }
}

const records = (callers: number) => `record/action, ${callers} ${callers === 1 ? 'caller' : 'callers'}`
const reads = (pool: number) => `reputation, 64 callers, ${pool} connections`
const shown = (figure: Measurement | undefined) =>
  figure === undefined ? '' : `${figure.requests_per_s.toFixed(0)}/s, ${figure.p50_ms.toFixed(1)} ms`

const COLUMNS: Columns<Distance> = {
  'round trip': ({ round_trip_ms }) => (round_trip_ms === 0 ? 'same machine' : `${round_trip_ms} ms`),
  ...Object.fromEntries(
    [...CALLERS.map(records), ...POOLS.map(reads)].map((name) => [
      name,
      ({ figures }: Distance) => shown(figures[name]),
    ]),
  ),
}
