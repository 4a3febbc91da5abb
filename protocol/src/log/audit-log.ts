/** Reads and rehashes the whole log, trusting only keys. */

import { believeCheckpoint, type Trust } from './believe-checkpoint.ts'
import type { Checkpoint, SignedCheckpoint } from './checkpoint.ts'
import { type LogEntryContent, readEntry } from './entry.ts'
import { KeptError, LogFault } from './faults.ts'
import { type Frontier, HASH_BYTES, leafHash, rootOf } from './merkle.ts'
import { type ReadFile, readEntries, readHashes } from './read-tiles.ts'
import { isProvenByTiles, rootByTiles } from './tile-nodes.ts'
import { type DueTile, hashAt, peaksOf, type TileTree, tileTree } from './tile-tree.ts'
import { TILE_WIDTH, tileOf, tilePath } from './tiles.ts'

/** How many entry bundles are fetched ahead. */
const BLOCKS_IN_FLIGHT = 8

/** The result of an earlier audit, for a later one. */
export interface Kept {
  /** The checkpoint, as the log signed it. */
  readonly note: string
  readonly frontier: Frontier
  /** The time of the last entry. */
  readonly last_at?: string | undefined
}

export interface AuditOptions extends Trust {
  readonly read: ReadFile
  /** The result of an earlier audit; the log must still contain all of it. */
  readonly kept?: Kept | undefined
  /** Reads only entries after `kept`, and still proves that nothing before it has changed. */
  readonly quick?: boolean | undefined
  /** Other verified checkpoints that the log must extend. Their trees are checked unless `quick`. */
  readonly anchors?: readonly SignedCheckpoint[] | undefined
  /**
   * Reads no entries, which may need a credential: checks only that the public hashes are the ones that the log signed.
   */
  readonly hashes_only?: boolean | undefined
  /** The workflow whose entries are collected. */
  readonly watch?: string | undefined
  /** Called with every entry that is read, in order. Its results can be trusted only after the audit. */
  readonly onEntry?: ((entry: LogEntryContent) => void) | undefined
  readonly onProgress?: ((progress: AuditProgress) => void) | undefined
}

export interface AuditProgress {
  readonly checked: number
  readonly of: number
}

export interface Audit {
  readonly checkpoint: SignedCheckpoint
  /** How many entries were read and hashed, or with `hashes_only` how many of their hashes. */
  readonly entries: number
  /** How many entries are newer than `kept`. */
  readonly newly_seen: number
  readonly counts: Readonly<Record<string, number>>
  readonly first_at: string | undefined
  readonly last_at: string | undefined
  /** The indexes of the entries of the watched workflow, among those that were read. */
  readonly watched: readonly number[]
  readonly frontier: Frontier
}

/**
 * Reads the checkpoint of a log and every entry in its tree, rehashes all entries, and compares the root and every tile
 * with the computed hashes. Throws a LogFault for the first fault; errors of `read` pass through. Memory use is bounded
 * for logs of any size.
 */
export async function auditLog(options: AuditOptions): Promise<Audit> {
  const { read } = options
  const checkpoint = await readLatest(options)
  const kept = options.kept === undefined ? undefined : await openKept(options.kept, options)
  const anchors = [...(kept === undefined ? [] : [kept]), ...(options.anchors ?? [])]
  for (const anchor of anchors) assertNotBehind(checkpoint, anchor)

  const start = options.quick && options.kept !== undefined ? options.kept.frontier : { size: 0, peaks: [] }
  const tree = tileTree(start)
  const tally = newTally(options, start.size === 0 ? undefined : options.kept?.last_at)
  const history = watchHistory(anchors, start.size)
  for await (const block of blocksFrom(options, start.size, checkpoint.size)) {
    await assertHashedInto(block, read, checkpoint)
    addBlock(block, tree, tally, history)
    for (const tile of tree.filled()) await assertServed(tile, read, checkpoint, kept)
    options.onProgress?.({ checked: tree.size - start.size, of: checkpoint.size - start.size })
  }
  for (const tile of tree.edge()) await assertServed(tile, read, checkpoint, kept)
  await assertRoot(tree, checkpoint, read, start.size === 0 ? undefined : kept)
  assertHistory(history, checkpoint)
  return {
    checkpoint,
    entries: tree.size - start.size,
    newly_seen: checkpoint.size - (kept?.size ?? 0),
    counts: Object.fromEntries([...tally.counts].sort()),
    first_at: tally.first_at,
    last_at: tally.last_at,
    watched: tally.watched,
    frontier: tree.frontier(),
  }
}

async function readLatest({ read, ...trust }: AuditOptions): Promise<SignedCheckpoint> {
  const bytes = await read('checkpoint')
  if (bytes === undefined) throw new LogFault('checkpoint_missing', `The log is ${trust.log.name}.`)
  return await believeCheckpoint(textOf(bytes), trust)
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new LogFault('checkpoint_malformed', 'It is not UTF-8.')
  }
}

/** Kept data is trusted no more than served data: the log must have signed it, and its parts must agree. */
async function openKept({ note, frontier }: Kept, { log }: Trust): Promise<SignedCheckpoint> {
  const checkpoint = await believeCheckpoint(note, { log }).catch((error: unknown) => {
    if (error instanceof LogFault) throw new KeptError(`The kept checkpoint is not sound. ${error.message}`)
    throw error
  })
  if (frontier.size !== checkpoint.size || !isEqual(rootOf(frontier), checkpoint.root))
    throw new KeptError('The kept frontier is not that of the kept checkpoint.')
  return checkpoint
}

function assertNotBehind(now: SignedCheckpoint, before: SignedCheckpoint): void {
  const notes = [before.note, now.note]
  if (now.size < before.size)
    throw new LogFault('log_shrunk', `It had ${before.size} entries and now says ${now.size}.`, notes)
  if (now.size === before.size && !isEqual(now.root, before.root))
    throw new LogFault('log_forked', `The size is ${now.size}.`, notes)
}

/** The entries and leaf hashes of one tile. Those from `from` on are new. */
interface Block {
  readonly index: number
  readonly from: number
  /** Undefined if only hashes were read. */
  readonly entries: readonly Uint8Array[] | undefined
  readonly hashes: readonly Uint8Array[]
  readonly served: Uint8Array
}

/** All blocks with an entry from `start` up to `end`, in order, with some fetched ahead. */
async function* blocksFrom(options: AuditOptions, start: number, end: number): AsyncGenerator<Block> {
  const under_way: Promise<Block>[] = []
  let next = Math.floor(start / TILE_WIDTH)
  while (true) {
    while (under_way.length < BLOCKS_IN_FLIGHT && start < end && next * TILE_WIDTH < end) {
      const block = readBlock(options, next, start, end)
      block.catch(() => undefined) // reported in its turn, or never if an earlier one failed
      under_way.push(block)
      next += 1
    }
    const block = under_way.shift()
    if (block === undefined) return
    yield await block
  }
}

async function readBlock(
  { read, hashes_only }: AuditOptions,
  index: number,
  start: number,
  size: number,
): Promise<Block> {
  const width = Math.min(TILE_WIDTH, size - index * TILE_WIDTH)
  const [entries, served] = await Promise.all([
    hashes_only ? undefined : readEntries(read, { level: 'entries', index, width }),
    readHashes(read, { level: 0, index, width }),
  ])
  const from = Math.max(0, start - index * TILE_WIDTH)
  const hashes =
    entries?.map((entry) => leafHash(entry)) ?? Array.from({ length: width }, (_, nth) => hashAt(served, nth))
  return { index, from, entries, hashes, served }
}

/** Each entry must hash to its position in the tile. If not, the rest of the tree shows which of the two is wrong. */
async function assertHashedInto(block: Block, read: ReadFile, checkpoint: Checkpoint): Promise<void> {
  const { index, hashes, served } = block
  const place = hashes.findIndex((hash, nth) => !isEqual(hash, hashAt(served, nth)))
  if (place < 0) return
  const entry = index * TILE_WIDTH + place
  if (await isProvenByTiles(read, entry, hashAt(served, place), checkpoint))
    throw new LogFault('entry_wrong', `It is entry ${entry}.`)
  const tile = { level: 0, index, width: hashes.length }
  throw new LogFault('tile_wrong', `It is ${tilePath(tile)}, at entry ${entry}.`)
}

function addBlock(block: Block, tree: TileTree, tally: Tally, history: History): void {
  for (let place = block.from; place < block.hashes.length; place += 1) {
    const [entry, hash] = [block.entries?.[place], block.hashes[place]]
    if (hash === undefined) continue
    if (entry !== undefined) count(tally, entry, tree.size)
    tree.add(hash)
    history.passed(tree)
  }
}

/** A tile must match its entries; its old part must still match the kept roots. */
async function assertServed(
  due: DueTile,
  read: ReadFile,
  checkpoint: SignedCheckpoint,
  kept: SignedCheckpoint | undefined,
): Promise<void> {
  // Entries were already compared with their own tile, except those known only by their roots.
  if (due.level === 0 && due.old.size === 0) return
  const tile = tileOf(due.level, due.index, checkpoint.size)
  if (tile === undefined) throw new LogFault('tile_missing', `It is ${tilePath(due)}.`)
  const served = await readHashes(read, tile)
  const first = due.old.size * HASH_BYTES
  const end = due.width * HASH_BYTES
  const isNewTrue = isEqual(served.subarray(first, end), due.hashes.subarray(first, end))
  if (isNewTrue && hasPeaks(served, due.old)) return
  if (kept !== undefined && due.old.size > 0) await assertUnchanged(read, checkpoint, kept)
  throw new LogFault(due.level === 0 ? 'tile_wrong' : 'upper_tile_wrong', `It is ${tilePath(tile)}.`)
}

function hasPeaks(served: Uint8Array, old: Frontier): boolean {
  const { peaks } = peaksOf(served, old.size)
  return peaks.length === old.peaks.length && peaks.every((peak, nth) => isEqual(peak, old.peaks[nth]))
}

async function assertRoot(
  tree: TileTree,
  checkpoint: SignedCheckpoint,
  read: ReadFile,
  kept: SignedCheckpoint | undefined,
): Promise<void> {
  if (isEqual(tree.root(), checkpoint.root)) return
  if (kept !== undefined) await assertUnchanged(read, checkpoint, kept)
  throw new LogFault('root_wrong', `The size is ${checkpoint.size}.`, [checkpoint.note])
}

/** Throws unless tiles that produce the signed root still contain the old tree. Used if only the new part was read. */
async function assertUnchanged(
  read: ReadFile,
  now: SignedCheckpoint,
  before: SignedCheckpoint,
): Promise<void> {
  if (!isEqual(await rootByTiles(read, now.size, now), now.root)) return
  if (isEqual(await rootByTiles(read, before.size, now), before.root)) return
  throw rewritten(now, before)
}

function rewritten(now: SignedCheckpoint, before: SignedCheckpoint): LogFault {
  const place = `The first ${before.size} entries are not those that it signed before.`
  return new LogFault('log_rewritten', place, [before.note, now.note])
}

/** Older checkpoints, and the computed roots at their sizes. */
interface History {
  passed(tree: TileTree): void
  readonly anchors: readonly SignedCheckpoint[]
  readonly roots: ReadonlyMap<number, Uint8Array>
}

function watchHistory(all: readonly SignedCheckpoint[], start: number): History {
  const anchors = all.filter(({ size }) => size > start)
  const sizes = new Set(anchors.map(({ size }) => size))
  const roots = new Map<number, Uint8Array>()
  return {
    anchors,
    roots,
    passed(tree) {
      if (sizes.has(tree.size)) roots.set(tree.size, tree.root())
    },
  }
}

/** Call only after the root was verified: before that, a mismatch may come from changed data, not a rewritten history. */
function assertHistory({ anchors, roots }: History, checkpoint: SignedCheckpoint): void {
  const broken = anchors.find(({ size, root }) => !isEqual(root, roots.get(size)))
  if (broken !== undefined) throw rewritten(checkpoint, broken)
}

interface Tally {
  readonly counts: Map<string, number>
  readonly watch: string | undefined
  readonly watched: number[]
  readonly onEntry: AuditOptions['onEntry']
  first_at: string | undefined
  last_at: string | undefined
}

function newTally({ watch, onEntry }: AuditOptions, last_at: string | undefined): Tally {
  return { counts: new Map(), watch, watched: [], onEntry, first_at: undefined, last_at }
}

function count(tally: Tally, data: Uint8Array, index: number): void {
  const entry = readEntry(data, index)
  const { type, at, provenance_ref } = entry
  if (tally.last_at !== undefined && at < tally.last_at)
    throw new LogFault('time_runs_back', `Entry ${index} says ${at}, after ${tally.last_at}.`)
  tally.first_at ??= at
  tally.last_at = at
  tally.counts.set(type, (tally.counts.get(type) ?? 0) + 1)
  if (tally.watch !== undefined && provenance_ref === tally.watch) tally.watched.push(index)
  tally.onEntry?.(entry)
}

function isEqual(left: Uint8Array, right: Uint8Array | undefined): boolean {
  if (left.length !== right?.length) return false
  for (let place = 0; place < left.length; place += 1) if (left[place] !== right[place]) return false
  return true
}
