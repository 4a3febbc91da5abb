import type { Program } from '@deputize/testing/program.ts'
import { type BenchIdentity, fill, floorCase, prepareIdentities, readCases, recordCase } from './cases.ts'
import { alternate, type Figures, type Settings } from './compare.ts'
import { queryDatabase, startDatabases } from './databases.ts'
import { figureLines, recordsOf } from './growth.ts'
import { startGenerator } from './load.ts'
import { type Columns, stageTable, writeReport } from './report.ts'
import { startDeputyProgram, startFloor, withDirectory } from './servers.ts'

const SIZES = [10_000, 100_000, 1_000_000, 5_000_000]
const BATCH = 1000
const CALLERS = 4
const MIB = 1024 * 1024
const SHOWN = 8

/** Bytes of each table and each index, by name. */
type Sizes = Readonly<Record<string, number>>

interface DatabaseStage {
  readonly records: number
  /** Includes those that the measurement added. Sizes are taken at this point. */
  readonly records_afterwards: number
  readonly filled_per_s: number
  readonly figures: readonly Figures[]
  readonly database_bytes: number
  readonly sizes: Sizes
}

/** Fills one database in stages for at most `minutes`, and measures the figures that must not depend on its size. */
export async function postgresGrowth(settings: Settings, minutes: number): Promise<void> {
  const ends_at = performance.now() + minutes * 60_000
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const postgres = await startDatabases(directory)
    const env = await postgres.database()
    const floor = await startFloor(directory)
    const deputy = await startDeputyProgram(directory, { env })
    try {
      const identities = await prepareIdentities(deputy.url)
      const stages: DatabaseStage[] = []
      for (const size of SIZES) {
        const filled_per_s = await fillTo(size, deputy, identities, ends_at)
        const processes = [postgres.process, deputy.process.pid ?? 0]
        const cases = [
          recordCase('record/action', deputy.url, identities),
          ...readCases(deputy.url, identities),
        ].map((one) => ({ ...one, processes }))
        const records = await recordsOf(deputy.url, identities)
        const figures = await alternate(generator, floorCase(floor.url), cases, settings)
        const records_afterwards = await recordsOf(deputy.url, identities)
        const room = await measured(env.DEPUTY_DATABASE_URL)
        stages.push({ records, records_afterwards, filled_per_s, figures, ...room })
        if (performance.now() > ends_at) break
      }
      writeReport('postgres-growth', { ...settings, minutes }, stages, stageTable(stages, linesOf(stages)))
    } finally {
      generator.stop()
      await Promise.all([floor.kill(), deputy.kill()])
      await postgres.stop()
    }
  })
}

/** Returns the records stored per second. Stops early when the time is up. */
async function fillTo(
  size: number,
  { url }: Program,
  identities: readonly BenchIdentity[],
  ends_at: number,
): Promise<number> {
  const started = performance.now()
  const before = await recordsOf(url, identities)
  let missing = size - before
  const filler = async () => {
    while (missing > 0 && performance.now() < ends_at) {
      const count = Math.min(BATCH, missing)
      missing -= count
      await fill(url, identities, count)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, filler))
  const added = (await recordsOf(url, identities)) - before
  const per_s = added / ((performance.now() - started) / 1000)
  process.stderr.write(`filled to ${before + added} records at ${per_s.toFixed(0)}/s\n`)
  return per_s
}

async function measured(url: string): Promise<Pick<DatabaseStage, 'database_bytes' | 'sizes'>> {
  const rows = await queryDatabase(
    url,
    `SELECT c.relname AS name, pg_relation_size(c.oid)::float8 AS bytes FROM pg_class c
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'i')`,
  )
  const [whole] = await queryDatabase(url, 'SELECT pg_database_size(current_database())::float8 AS bytes')
  return {
    database_bytes: Number(whole?.bytes),
    sizes: Object.fromEntries(rows.map(({ name, bytes }) => [String(name), Number(bytes)])),
  }
}

function linesOf(stages: readonly DatabaseStage[]): Columns<DatabaseStage> {
  const names = stages[0]?.figures.map(({ name }) => name) ?? []
  const processorTime = (name: string) => (stage: DatabaseStage) =>
    `${stage.figures.find((one) => one.name === name)?.processor_us.toFixed(0)}`
  const bytesPerRecord = (name: string) => (stage: DatabaseStage) =>
    ((stage.sizes[name] ?? 0) / stage.records_afterwards).toFixed(1)
  return {
    'records when measured': ({ records }) => String(records),
    ...figureLines(stages),
    // Without the floor, which is first: its cost doesn't matter.
    ...Object.fromEntries(
      names.slice(1).map((name) => [`${name}: processor us a request`, processorTime(name)]),
    ),
    [`filled through record/batch by ${CALLERS} callers, records/s`]: ({ filled_per_s }) =>
      filled_per_s.toFixed(0),
    'records afterwards': ({ records_afterwards }) => String(records_afterwards),
    'database, MiB': ({ database_bytes }) => (database_bytes / MIB).toFixed(0),
    'bytes for a record, everything': ({ database_bytes, records_afterwards }) =>
      (database_bytes / records_afterwards).toFixed(0),
    ...Object.fromEntries(
      largest(stages).map((name) => [`${name}: bytes for a record`, bytesPerRecord(name)]),
    ),
  }
}

/** The tables and indexes that are largest at the last stage. */
function largest(stages: readonly DatabaseStage[]): string[] {
  return Object.entries(stages.at(-1)?.sizes ?? {})
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name]) => name)
}
