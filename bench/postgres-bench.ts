import type { Program } from '@deputize/testing/program.ts'
import {
  authorizeCase,
  type BenchIdentity,
  type Case,
  completeCase,
  delegateCase,
  floorCase,
  issueCase,
  prepareFamily,
  prepareIdentities,
  readCases,
  recordCase,
} from './cases.ts'
import { alternate, chosen, type Figures, leastToMost, type Settings } from './compare.ts'
import { startDatabases } from './databases.ts'
import { startGenerator } from './load.ts'
import { type Columns, tableOf, writeReport } from './report.ts'
import {
  startDeputyProgram,
  startFloor,
  startPostgresPeer,
  startUnbatched,
  withDirectory,
} from './servers.ts'

/** Peers with one transaction per request: NAIVE does everything that Deputy does, PLAIN as little as possible. */
const NAIVE = 'peer: Deputy, one transaction a request'
const PLAIN = 'peer: a plain service, one transaction a request'

/** Tokens of one deployment: some with their own workflows, and a family that shares one budget. */
interface Prepared {
  readonly identities: readonly BenchIdentity[]
  readonly family: readonly BenchIdentity[]
}

/** Measures the floor, SQLite, one and two nodes on PostgreSQL, and two naive services on PostgreSQL in one run. */
export async function postgresBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const postgres = await startDatabases(directory)
    const lonely = await postgres.database()
    const shared = await postgres.database()
    const { DEPUTY_DATABASE_URL: plain } = await postgres.database()
    const floor = await startFloor(directory)
    const peer = await startPostgresPeer(directory, plain)
    const naive = await startUnbatched(directory, await postgres.database())
    const embedded = await startDeputyProgram(directory, { env: { DEPUTY_MAX_WAIT_MS: '0' } })
    const single = await startDeputyProgram(directory, { data: 'single', env: lonely })
    const first = await startDeputyProgram(directory, { data: 'first', env: shared })
    const second = await startDeputyProgram(directory, { data: 'second', env: shared })
    try {
      const by = (programs: readonly Program[], cases: readonly Case[]) => {
        const processes = [postgres.process, ...programs.map((program) => program.process.pid ?? 0)]
        return cases.map((one) => ({ ...one, processes }))
      }
      const cases = chosen(settings.only, [
        ...by(
          [embedded],
          [recordCase('SQLite: record/action', embedded.url, await prepareIdentities(embedded.url))],
        ),
        ...by([single], singleCases(single.url, await prepared(single.url))),
        ...by([first, second], pairCases([first.url, second.url], await prepared(first.url))),
        ...by([naive], [recordCase(NAIVE, naive.url, await prepareIdentities(naive.url))]),
        ...by([peer], [floorCase(peer.url, PLAIN)]),
      ])
      const figures = await alternate(
        generator,
        { ...floorCase(floor.url), processes: [floor.process.pid ?? 0] },
        cases,
        settings,
      )
      writeReport('postgres', settings, figures, tableOf(figures, columnsOf(figures)))
    } finally {
      generator.stop()
      await Promise.all(
        [floor, peer, naive, embedded, single, first, second].map((program) => program.kill()),
      )
      await postgres.stop()
    }
  })
}

async function prepared(url: string): Promise<Prepared> {
  return { identities: await prepareIdentities(url), family: await prepareFamily(url) }
}

function recordCases(name: string, url: string, { identities, family }: Prepared): Case[] {
  return [
    recordCase(`${name}: record/action`, url, identities),
    recordCase(`${name}: record/action, one workflow`, url, identities.slice(0, 1)),
    recordCase(`${name}: record/action, one budget over 256 tokens`, url, family),
  ]
}

function singleCases(url: string, prepared: Prepared): Case[] {
  const { identities } = prepared
  const named = (one: Case) => ({ ...one, name: `1 node: ${one.name}` })
  return [
    ...recordCases('1 node', url, prepared),
    ...[
      authorizeCase('authorize', url, identities),
      completeCase(url, identities),
      issueCase(url),
      delegateCase(url, identities),
      ...readCases(url, identities),
    ].map(named),
  ]
}

function pairCases([url, ...others]: readonly [string, ...string[]], prepared: Prepared): Case[] {
  return recordCases('2 nodes', url, prepared).map((one) => ({ ...one, others }))
}

function columnsOf(figures: readonly Figures[]): Columns<Figures> {
  const ofFloor = (peer: string) => figures.find(({ name }) => name === peer)?.of_floor.median ?? Number.NaN
  const times = (ratio: number) => (Number.isNaN(ratio) ? '' : ratio.toFixed(1))
  return {
    case: ({ name }) => name,
    'requests/s': ({ requests_per_s }) => requests_per_s.toFixed(0),
    'of the floor': ({ of_floor }) => of_floor.median.toFixed(3),
    'least to most': ({ of_floor }) => leastToMost(of_floor, 3),
    'times Deputy, one transaction a request': ({ of_floor }) => times(of_floor.median / ofFloor(NAIVE)),
    'times a plain service': ({ of_floor }) => times(of_floor.median / ofFloor(PLAIN)),
    'p50 ms': ({ p50_ms }) => p50_ms.toFixed(1),
    'p99 ms': ({ p99_ms }) => p99_ms.toFixed(1),
    'processor us a request': ({ processor_us }) => processor_us.toFixed(0),
  }
}
