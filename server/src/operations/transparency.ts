import {
  AuthorityError,
  encodeBase64,
  hashesAt,
  invalidField,
  joinEntries,
  leafHash,
  readTilePath,
  TILE_WIDTH,
  type Tile,
} from '@deputize/protocol'
import { isoInstant } from '../domain/time.ts'
import type { ReadStore, StoredCheckpoint } from '../store/port.ts'
import type { Handler, OperationContext } from './operation-context.ts'
import { pageAnswer, pageRequest } from './pages.ts'

const DEFAULT_ENTRIES = 100

export const getCheckpoint: Handler<'getCheckpoint'> = async (_call, context) => newest(context).note

export const getTile: Handler<'getTile'> = async ({ params }, { reader, tree }) => {
  const { level, index, width } = await knownTile(params.level, params.index, reader)
  if (level === 'entries') throw new AuthorityError('not_found', NO_TILE)
  return tree.hashes({ level, index, width })
}

export const getEntries: Handler<'getEntries'> = async ({ params }, { reader }) => {
  const { index, width } = await knownTile('entries', params.index, reader)
  const start = index * TILE_WIDTH
  const leaves = await reader.log.leaves(start, start + width)
  return joinEntries(leaves.map((leaf) => Buffer.from(leaf)))
}

const NO_TILE = 'This is not the address of a tile.'

/** The tile at an address, once the log holds all that the address says. */
async function knownTile(named: string, place: string, { log }: ReadStore): Promise<Tile> {
  const tile = readTilePath(named, place)
  if (tile === undefined) throw new AuthorityError('not_found', NO_TILE)
  const { size } = await log.head()
  const { level, index, width } = tile
  if (index * TILE_WIDTH + width > hashesAt(level === 'entries' ? 0 : level, size))
    throw new AuthorityError('log_entry_unknown')
  return tile
}

export const listLogEntries: Handler<'listLogEntries'> = async ({ query }, { reader }) => {
  const { start = 0, limit = DEFAULT_ENTRIES } = query
  const { size } = await reader.log.head()
  const leaves = await reader.log.leaves(start, Math.min(start + limit, size))
  const next_start = start + leaves.length
  return {
    data: leaves.map((leaf, place) => entryView(start + place, leaf)),
    next_start,
    has_more: next_start < size,
    size,
  }
}

export const getLogEntry: Handler<'getLogEntry'> = async ({ params }, { reader }) => {
  const [leaf] = await reader.log.leaves(params.index, params.index + 1)
  if (leaf === undefined) throw new AuthorityError('log_entry_unknown')
  return entryView(params.index, leaf)
}

function entryView(index: number, leaf: string) {
  return { index, leaf, leaf_hash: encodeBase64(leafHash(leaf)) }
}

export const getInclusionProof: Handler<'getInclusionProof'> = async ({ query }, context) => {
  const { reader, tree } = context
  const { index, size = newest(context).size } = query
  await assertReached(size, context)
  if (index >= size) throw new AuthorityError('log_entry_unknown', `A tree of ${size} has no entry ${index}.`)
  const [leaf_hash] = await reader.log.leafHashes(index, index + 1)
  if (leaf_hash === undefined) throw new AuthorityError('log_entry_unknown')
  const proof = await tree.inclusionProof(index, size)
  return {
    index,
    size,
    leaf_hash: encodeBase64(leaf_hash),
    root_hash: encodeBase64(await tree.rootAt(size)),
    proof: proof.map(encodeBase64),
  }
}

export const getConsistencyProof: Handler<'getConsistencyProof'> = async ({ query }, context) => {
  const { tree } = context
  const { from, to = newest(context).size } = query
  if (from > to) throw invalidField('?from', `must not be larger than to, which is ${to}`)
  await assertReached(to, context)
  const proof = await tree.consistencyProof(from, to)
  return {
    from,
    to,
    from_root_hash: encodeBase64(await tree.rootAt(from)),
    to_root_hash: encodeBase64(await tree.rootAt(to)),
    proof: proof.map(encodeBase64),
  }
}

export const listCheckpoints: Handler<'listCheckpoints'> = async ({ query }, { reader }) =>
  pageAnswer(await reader.log.checkpoints(pageRequest(query)), ({ size, root, signed_at_ms, note }) => ({
    size,
    root_hash: encodeBase64(root),
    signed_at: isoInstant(signed_at_ms),
    note,
  }))

function newest({ checkpointSigner }: OperationContext): StoredCheckpoint {
  const checkpoint = checkpointSigner.published()
  if (checkpoint === undefined) throw new AuthorityError('checkpoint_pending')
  return checkpoint
}

async function assertReached(size: number, { reader }: OperationContext): Promise<void> {
  const head = await reader.log.head()
  if (size > head.size)
    throw new AuthorityError('log_entry_unknown', `The log has ${head.size} entries, not ${size}.`)
}
