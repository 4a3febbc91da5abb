import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Checkpoint, readCheckpoint, readNote, TILE_WIDTH, tileOf, tilePath } from '@deputize/protocol'
import { type Case, fill, floorCase, get, prepareIdentities, processCase, recordCase } from './cases.ts'
import { alternate, type Figures, leastToMost, type Settings } from './compare.ts'
import { startGenerator } from './load.ts'
import { endedChildrenTime_us } from './processor-time.ts'
import { medianOf, writeReport } from './report.ts'
import { startDeputyProgram, startFloor, withDirectory } from './servers.ts'

const ENTRIES = 200_000
const BATCH = 1000
const REPEATS = 3
const REQUESTS = 1024
const POLL_MS = 1000
/** The longest allowed interval, so that nothing is signed during the bench. */
const UNSIGNED = { DEPUTY_CHECKPOINT_INTERVAL_MS: '3600000' }
const CLI = fileURLToPath(new URL('../cli/bin/deputy.js', import.meta.url))

/** How many entries one command checked and how fast, including its start-up. */
interface CommandFigures {
  readonly name: string
  readonly entries: number
  readonly per_s: readonly number[]
  /** Per second of processor time: the rate on a machine with an idle core. */
  readonly per_processor_s: readonly number[]
  readonly target: string
}

/** Measures what signing and serving the log costs record/action, and how fast the log is read and verified. */
export async function logBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const floor = await startFloor(directory)
    const unsigned = await startDeputyProgram(directory, { data: 'unsigned', env: UNSIGNED })
    const signed = await startDeputyProgram(directory)
    const client = startLightClient(signed.url)
    try {
      const identities = await prepareIdentities(signed.url)
      const recording = await alternate(
        generator,
        processCase(
          unsigned,
          recordCase('record/action, log not signed', unsigned.url, await prepareIdentities(unsigned.url)),
        ),
        [
          processCase(
            signed,
            recordCase('record/action, log signed each second and read', signed.url, identities),
          ),
        ],
        settings,
      )
      await client.stop()
      await unsigned.stop()
      const size = await signedSize(signed.url, () => fill(signed.url, identities, BATCH))
      const serving = await alternate(
        generator,
        processCase(floor, floorCase(floor.url)),
        servingCases(signed.url, size).map((one) => processCase(signed, one)),
        settings,
      )
      const verified = await timedCommand('deputy verify, entries', '100000/s', () =>
        verifyLog(signed.url, join(directory, 'state')),
      )
      await signed.stop()
      const checked = await timedCommand('deputy check, leaves', '', () => check(join(directory, 'data')))
      const figures = { recording, polls: client.polls(), size, serving, verified, checked }
      writeReport('log', settings, figures, logTable(recording, serving, [verified, checked], size))
    } finally {
      generator.stop()
      await client.stop()
      for (const program of [floor, unsigned, signed])
        if (program.process.exitCode === null) await program.kill()
    }
  })
}

/** Fetches the newest checkpoint and the tiles at its right edge once a second, like a follower of the log. */
function startLightClient(url: string): { polls(): number; stop(): Promise<void> } {
  let isEnding = false
  let polls = 0
  const run = async () => {
    while (!isEnding) {
      const wait = new Promise((resolve) => setTimeout(resolve, POLL_MS))
      const { size } = await newestCheckpoint(url)
      for (const path of newestTiles(size)) await (await answered(`${url}/${path}`)).arrayBuffer()
      polls += 1
      await wait
    }
  }
  const running = run()
  return {
    polls: () => polls,
    async stop() {
      isEnding = true
      await running
    },
  }
}

/** The last tile of each level that is not empty, and the last entries. */
function newestTiles(size: number): string[] {
  const paths: string[] = []
  for (let level = 0, hashes = size; hashes > 0; level++, hashes = Math.floor(hashes / TILE_WIDTH)) {
    const index = Math.floor((hashes - 1) / TILE_WIDTH)
    for (const kind of level === 0 ? ([0, 'entries'] as const) : [level]) {
      const tile = tileOf(kind, index, size)
      if (tile !== undefined) paths.push(tilePath(tile))
    }
  }
  return paths
}

async function newestCheckpoint(url: string): Promise<Checkpoint> {
  const note = await (await answered(`${url}/checkpoint`)).text()
  return readCheckpoint(readNote(note).text)
}

async function answered(address: string): Promise<Response> {
  const response = await fetch(address)
  if (response.status !== 200) throw new Error(`${address} answered ${response.status}`)
  return response
}

/** Adds entries until a checkpoint of the wanted size is signed, and returns its size. */
async function signedSize(url: string, add: () => Promise<void>): Promise<number> {
  for (;;) {
    const { size } = await newestCheckpoint(url)
    if (size >= ENTRIES) return size
    for (let missing = ENTRIES - size; missing > 0; missing -= BATCH) await add()
    await new Promise((resolve) => setTimeout(resolve, 2 * POLL_MS))
  }
}

/** Positions spread over the whole log, so that caches help no more than they would in production. */
function servingCases(url: string, size: number): Case[] {
  const full = Math.floor(size / TILE_WIDTH)
  const spread = (places: number) =>
    Array.from({ length: REQUESTS }, (_, index) => Math.floor((index * places * 0.618) % places))
  const tiles = (level: 0 | 'entries') =>
    spread(full).map((index) => get(url, `/${tilePath({ level, index, width: TILE_WIDTH })}`))
  const inTile = 'application/octet-stream' // the generator searches the head too
  return [
    {
      name: 'inclusion proofs',
      url,
      expects: '"root_hash":',
      requests: spread(size).map((index) =>
        get(url, `/v1/vat/log/proof/inclusion?index=${index}&size=${size}`),
      ),
    },
    { name: 'full hash tiles', url, expects: inTile, requests: tiles(0) },
    { name: 'entry bundles of 256', url, expects: inTile, requests: tiles('entries') },
  ]
}

/** Runs `deputy verify` and returns how many entries it read and hashed. */
async function verifyLog(url: string, state: string): Promise<number> {
  const { entries_checked } = await deputy('verify', url, '--state', state, '--json')
  return Number(entries_checked)
}

/** Runs `deputy check` and returns how many leaves it compared with the store. */
async function check(data: string): Promise<number> {
  const { leaves } = await deputy('check', '--data', data, '--json')
  return Number(leaves)
}

/** Rejects if the command found a fault. */
async function deputy(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, ...args])
  return JSON.parse(stdout)
}

async function timedCommand(
  name: string,
  target: string,
  work: () => Promise<number>,
): Promise<CommandFigures> {
  const per_s: number[] = []
  const per_processor_s: number[] = []
  let entries = 0
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const before_us = endedChildrenTime_us()
    const started = performance.now()
    entries = await work()
    per_s.push(entries / ((performance.now() - started) / 1000))
    per_processor_s.push(entries / ((endedChildrenTime_us() - before_us) / 1e6))
  }
  return { name, entries, per_s, per_processor_s, target }
}

function logTable(
  recording: readonly Figures[],
  serving: readonly Figures[],
  commands: readonly CommandFigures[],
  size: number,
): string[][] {
  const figuresRow = (against: string, target: string) => (one: Figures) => [
    one.name,
    one.requests_per_s.toFixed(0),
    `${one.of_floor.median.toFixed(2)} of ${against}`,
    leastToMost(one.of_floor),
    one.p99_ms.toFixed(1),
    one.processor_us.toFixed(0),
    target,
  ]
  return [
    [
      `log of ${size} entries`,
      'per second',
      'ratio',
      'least to most',
      'p99 ms',
      'processor us each',
      'target',
    ],
    ...recording.slice(0, 1).map(figuresRow('itself', '')),
    ...recording.slice(1).map(figuresRow('the one before', '0.95')),
    ...serving.map(figuresRow('the floor', '')),
    ...commands.map(({ name, entries, per_s, per_processor_s, target }) => [
      `${name} (${entries})`,
      medianOf(per_s).toFixed(0),
      '',
      `${Math.min(...per_s).toFixed(0)} to ${Math.max(...per_s).toFixed(0)}`,
      '',
      (1e6 / medianOf(per_processor_s)).toFixed(1),
      target,
    ]),
  ]
}
