import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Program } from '@deputize/testing/program.ts'
import { fill, floorCase, listCase, prepareIdentities, readCases, recordCase } from './cases.ts'
import { alternate, type Figures, type Settings } from './compare.ts'
import { startGenerator } from './load.ts'
import { type Columns, stageTable, writeReport } from './report.ts'
import { startDeputyProgram, startFloor, withDirectory } from './servers.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const BATCH = 1000
const MIB = 1024 * 1024

interface GrowthStage {
  readonly filled_to: number
  /** Includes those that the measurement added. */
  readonly records: number
  readonly figures: readonly Figures[]
  readonly filled_per_s: number
  readonly rss_mib: number
  readonly disk_mib: number
  readonly bytes_per_record: number
  /** From the start of the process to the first 200 of /readyz, after a clean stop and after a kill. */
  readonly restart_s: number
  readonly restart_after_kill_s: number
}

/** Fills one store in stages and measures at each stage the figures that must not depend on its size. */
export async function growth(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const floor = await startFloor(directory)
    let deputy = await startDeputyProgram(directory)
    try {
      const identities = await prepareIdentities(deputy.url)
      const stages: GrowthStage[] = []
      for (const size of SIZES) {
        const started = performance.now()
        const before = await recordsOf(deputy.url, identities)
        const missing = Math.max(0, size - before)
        for (let done = 0; done < missing; done += BATCH) {
          await fill(deputy.url, identities, Math.min(BATCH, missing - done))
          if (done % 10_000 === 0) process.stderr.write(`\rfilling to ${size}: ${before + done} records `)
        }
        const filled_per_s = missing / ((performance.now() - started) / 1000)
        process.stderr.write(`\rfilled to ${size} records at ${filled_per_s.toFixed(0)}/s\n`)

        const { url } = deputy
        const figures = await alternate(
          generator,
          floorCase(floor.url),
          [
            recordCase('record/action', url, identities),
            ...readCases(url, identities),
            listCase(url, identities),
          ],
          settings,
        )
        const rss_mib = (await residentBytes(url)) / MIB
        const records = await recordsOf(url, identities)
        await deputy.kill()
        const killed = await timedStart(directory)
        await killed.program.stop()
        const bytes = sizeOf(join(directory, 'data'))
        const stopped = await timedStart(directory)
        deputy = stopped.program
        stages.push({
          filled_to: before + missing,
          records,
          figures,
          filled_per_s,
          rss_mib,
          disk_mib: bytes / MIB,
          bytes_per_record: bytes / records,
          restart_s: stopped.seconds,
          restart_after_kill_s: killed.seconds,
        })
      }
      writeReport('growth', settings, stages, stageTable(stages, linesOf(stages)))
    } finally {
      generator.stop()
      await Promise.all([floor.kill(), deputy.process.exitCode === null ? deputy.stop() : undefined])
    }
  })
}

async function timedStart(directory: string): Promise<{ program: Program; seconds: number }> {
  const started = performance.now()
  const program = await startDeputyProgram(directory)
  while ((await fetch(`${program.url}/readyz`)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 5))
  return { program, seconds: (performance.now() - started) / 1000 }
}

/** Sums the record counts of the workflows' summaries: every record belongs to one of them. */
export async function recordsOf(
  url: string,
  identities: readonly { provenance_ref: string }[],
): Promise<number> {
  let records = 0
  for (const { provenance_ref } of identities) {
    const response = await fetch(`${url}/v1/vat/aar/provenance/${provenance_ref}`)
    const summary = (await response.json()) as { total_records: number } // a wrong shape shows as NaN records
    records += summary.total_records
  }
  return records
}

async function residentBytes(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^deputy_process_resident_memory_bytes (\S+)$/m.exec(text)?.[1] ?? Number.NaN)
}

function sizeOf(directory: string): number {
  return readdirSync(directory)
    .map((name) => statSync(join(directory, name)).size)
    .reduce((sum, size) => sum + size, 0)
}

function linesOf(stages: readonly GrowthStage[]): Columns<GrowthStage> {
  return {
    'records when measured': ({ filled_to }) => String(filled_to),
    'records afterwards': ({ records }) => String(records),
    ...figureLines(stages),
    'filled through record/batch by one caller, records/s': ({ filled_per_s }) =>
      filled_per_s === 0 ? '–' : filled_per_s.toFixed(0),
    'memory of the server, MiB': ({ rss_mib }) => rss_mib.toFixed(0),
    'data directory, MiB': ({ disk_mib }) => disk_mib.toFixed(0),
    'bytes on disk for a record': ({ bytes_per_record }) => bytes_per_record.toFixed(0),
    'restart to ready, s': ({ restart_s }) => restart_s.toFixed(2),
    'restart to ready after a kill, s': ({ restart_after_kill_s }) => restart_after_kill_s.toFixed(2),
  }
}

interface WithFigures {
  readonly figures: readonly Figures[]
}

/** Throughput and p99 of every case, at each stage. */
export function figureLines(stages: readonly WithFigures[]): Columns<WithFigures> {
  const names = stages[0]?.figures.map(({ name }) => name) ?? []
  const line = (name: string, title: string, cell: (one: Figures) => string) => [
    `${name}: ${title}`,
    ({ figures }: WithFigures) =>
      figures
        .filter((one) => one.name === name)
        .map(cell)
        .join(),
  ]
  return Object.fromEntries([
    ...names.map((name) =>
      line(
        name,
        'requests/s (of the floor)',
        ({ requests_per_s, of_floor }) => `${requests_per_s.toFixed(0)} (${of_floor.median.toFixed(2)})`,
      ),
    ),
    ...names.map((name) => line(name, 'p99 ms', ({ p99_ms }) => p99_ms.toFixed(1))),
  ])
}
