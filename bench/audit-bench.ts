import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout } from 'node:timers/promises'
import { CLI } from '@deputize/testing/programs.ts'
import { fill, prepareIdentities } from './cases.ts'
import { tableOf, writeReport } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

/** The most that a pack may have, minus the tokens of the workflow. */
const ENTRIES = Number(process.env.AUDIT_ENTRIES ?? 99_900)
const BATCH = 1000
const SETTLED_MS = 3000
const SAMPLE_MS = 20
const MIB = 1024 * 1024

interface AuditFigures {
  readonly what: string
  readonly seconds: number
  readonly before_mib: number
  readonly peak_mib: number
}

/** Makes and verifies an audit pack of one large workflow, and measures the memory that this takes. */
export async function auditBench(): Promise<void> {
  await withDirectory(async (directory) => {
    const provenance_ref = await filledStore(directory)
    const program = await startDeputyProgram(directory)
    try {
      const file = join(directory, 'pack.zip')
      // Makes it a service that has been in use: its caches are full, and its heap has the size that reading takes.
      await download(`${program.url}/v1/vat/aar/provenance/${provenance_ref}/export?format=ndjson`, file)
      await setTimeout(SETTLED_MS)
      const url = `${program.url}/v1/vat/audit/pack?workflow=${provenance_ref}`
      const making = await watched('make', program.process.pid, () => download(url, file))
      const verifying = await verified(file)
      const settings = { entries: ENTRIES, pack_mib: Math.round(statSync(file).size / MIB) }
      writeReport('audit', settings, [making, verifying], tableOf([making, verifying], COLUMNS))
    } finally {
      await program.stop()
    }
  })
}

/** Fills the store in another process, because the memory for filling isn't memory for a pack. */
async function filledStore(directory: string): Promise<string> {
  const program = await startDeputyProgram(directory)
  try {
    const [busy] = await prepareIdentities(program.url)
    if (busy === undefined) throw new Error('there are no tokens')
    for (let done = 0; done < ENTRIES; done += BATCH)
      await fill(program.url, [busy], Math.min(BATCH, ENTRIES - done))
    await setTimeout(SETTLED_MS) // the log is signed
    return busy.provenance_ref
  } finally {
    await program.stop()
  }
}

const COLUMNS = {
  what: ({ what }: AuditFigures) => what,
  seconds: ({ seconds }: AuditFigures) => seconds.toFixed(1),
  'before MiB': ({ before_mib }: AuditFigures) => before_mib.toFixed(0),
  'peak MiB': ({ peak_mib }: AuditFigures) => peak_mib.toFixed(0),
  'growth MiB': ({ before_mib, peak_mib }: AuditFigures) => (peak_mib - before_mib).toFixed(0),
}

async function download(url: string, file: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok || response.body === null) throw new Error(`${response.status}: ${await response.text()}`)
  await pipeline(Readable.fromWeb(response.body), createWriteStream(file))
}

/** Verifies in a separate process, like an auditor. */
async function verified(file: string): Promise<AuditFigures> {
  const child = spawn(process.execPath, [CLI, 'verify', file], { stdio: 'inherit' })
  const ended = once(child, 'exit')
  return watched('verify', child.pid, async () => {
    const [code] = await ended
    if (code !== 0) throw new Error(`deputy verify exits with ${code}`)
  })
}

/** The memory of a process before some work, and its peak during the work. */
async function watched(
  what: string,
  pid: number | undefined,
  work: () => Promise<void>,
): Promise<AuditFigures> {
  const before_mib = residentMib(pid)
  const begin = performance.now()
  let peak_mib = before_mib
  const sampling = globalThis.setInterval(() => {
    peak_mib = Math.max(peak_mib, residentMib(pid))
  }, SAMPLE_MS)
  try {
    await work()
  } finally {
    clearInterval(sampling)
  }
  return { what, seconds: (performance.now() - begin) / 1000, before_mib, peak_mib }
}

/** 0 if the process has ended. */
function residentMib(pid: number | undefined): number {
  try {
    const [, kib = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1024
  } catch {
    return 0
  }
}
