import { createPrivateKey, createPublicKey, sign as ed25519Sign, type KeyObject } from 'node:crypto'
import { encodeBase64 } from '../../protocol/src/encoding/base64.ts'
import { checkpointText } from '../../protocol/src/log/checkpoint.ts'
import {
  append,
  emptyFrontier,
  type Frontier,
  inclusionProof,
  leafHash,
  type NodeHashes,
  nodeHash,
  rootOf,
} from '../../protocol/src/log/merkle.ts'
import {
  cosignatureLine,
  KEY_TYPES,
  type NoteKey,
  noteKey,
  type Sign,
  signatureLine,
  signedNote,
  vkeyOf,
} from '../../protocol/src/log/note.ts'
import { hashesAt, joinEntries, TILE_WIDTH, tileOf, tilePath } from '../../protocol/src/log/tiles.ts'

/** A key pair that signs notes. */
export interface Signatory {
  readonly key: NoteKey
  readonly sign: Sign
}

export const ORIGIN = 'log.example/deputy'

/** A deterministic Ed25519 key. */
export function aSignatory(name = ORIGIN, seed = 1, type: NoteKey['type'] = KEY_TYPES.log): Signatory {
  const pkcs8 = Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    Buffer.alloc(32, seed),
  ])
  const secret: KeyObject = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(secret).export({ format: 'jwk' })
  const key = noteKey(name, type, Buffer.from(x, 'base64url'))
  return { key, sign: (data) => ed25519Sign(null, data, secret) }
}

export function aWitness(name: string, seed: number): Signatory {
  return aSignatory(name, seed, KEY_TYPES.witness)
}

/** The files of a log by their paths below its URL. */
export type Files = Map<string, Uint8Array>

export interface TestLog {
  readonly signatory: Signatory
  readonly vkey: string
  readonly leaves: readonly string[]
  readonly root: Uint8Array
  readonly frontier: Frontier
  readonly note: string
  readonly files: Files
  proofOf(index: number): string[]
}

export interface LogParts {
  readonly leaves?: readonly string[]
  readonly size?: number
  readonly signatory?: Signatory
  readonly witnesses?: readonly Signatory[]
  readonly witnessed_at_s?: number
}

/** A truthful log with all its files. */
export async function aLog(parts: LogParts = {}): Promise<TestLog> {
  const leaves = parts.leaves ?? someLeaves(parts.size ?? 600)
  const signatory = parts.signatory ?? aSignatory()
  const hashes = leaves.map((leaf) => leafHash(leaf))
  const frontier = emptyFrontier()
  for (const hash of hashes) append(frontier, hash)
  const root = rootOf(frontier)
  const note = await aNote({ ...parts, signatory, size: leaves.length, root })
  const vkey = vkeyOf(signatory.key)
  const files: Files = new Map([
    ['checkpoint', Buffer.from(note)],
    ['.well-known/deputy.json', deploymentOf(signatory.key.name, vkey)],
    ...bundleFiles(leaves),
    ...tileFiles(hashes),
  ])
  const proofOf = (index: number) =>
    inclusionProof(index, leaves.length, nodesOver(hashes)).map((hash) => encodeBase64(hash))
  return { signatory, vkey, leaves, root, frontier, note, files, proofOf }
}

export function deploymentOf(origin: string, vkey: string): Uint8Array {
  return Buffer.from(JSON.stringify({ issuer: 'http://127.0.0.1', log: { origin, vkey } }))
}

export interface NoteParts {
  readonly signatory?: Signatory
  readonly origin?: string
  readonly size: number
  readonly root: Uint8Array
  readonly witnesses?: readonly Signatory[]
  readonly witnessed_at_s?: number
}

export async function aNote(parts: NoteParts): Promise<string> {
  const { size, root, witnesses = [], witnessed_at_s = 1_800_000_000 } = parts
  const signatory = parts.signatory ?? aSignatory()
  const text = checkpointText({ origin: parts.origin ?? signatory.key.name, size, root })
  const lines = [await signatureLine(text, signatory.key, signatory.sign)]
  for (const { key, sign } of witnesses) lines.push(await cosignatureLine(text, witnessed_at_s, key, sign))
  return signedNote(text, lines)
}

export function bundleFiles(leaves: readonly string[]): [string, Uint8Array][] {
  const files: [string, Uint8Array][] = []
  for (let index = 0; index * TILE_WIDTH < leaves.length; index += 1) {
    const entries = leaves.slice(index * TILE_WIDTH, (index + 1) * TILE_WIDTH)
    const path = tilePath({ level: 'entries', index, width: entries.length })
    files.push([path, joinEntries(entries.map((leaf) => Buffer.from(leaf)))])
  }
  return files
}

/** All hash tiles of a tree, made with the functions that the service uses. */
export function tileFiles(leaf_hashes: readonly Uint8Array[]): [string, Uint8Array][] {
  const files: [string, Uint8Array][] = []
  let hashes = leaf_hashes
  for (let level = 0; hashesAt(level, leaf_hashes.length) > 0; level += 1) {
    const above: Uint8Array[] = []
    for (let index = 0; ; index += 1) {
      const tile = tileOf(level, index, leaf_hashes.length)
      if (tile === undefined) break
      const own = hashes.slice(index * TILE_WIDTH, index * TILE_WIDTH + tile.width)
      files.push([tilePath(tile), new Uint8Array(Buffer.concat(own))])
      if (tile.width === TILE_WIDTH) above.push(rootOver(own))
    }
    hashes = above
  }
  return files
}

function rootOver(hashes: readonly Uint8Array[]): Uint8Array {
  const frontier = emptyFrontier()
  for (const hash of hashes) append(frontier, hash)
  return rootOf(frontier)
}

function nodesOver(hashes: readonly Uint8Array[]): NodeHashes {
  const known = new Map<string, Uint8Array>()
  const node: NodeHashes = (level, index) => {
    const leaf = hashes[index]
    if (level === 0 && leaf !== undefined) return leaf
    const name = `${level}/${index}`
    const hash = known.get(name) ?? nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))
    known.set(name, hash)
    return hash
  }
  return node
}

const START_MS = Date.parse('2027-01-01T00:00:00Z')

/** The text of the leaf at an index. Leaves are one second apart. */
export function aLeaf(index: number, members: Record<string, unknown> = {}): string {
  const leaf: Record<string, unknown> = {
    aar_id: `aar_${String(index).padStart(8, '0')}`,
    action: 'read',
    agent_id: 'agent:calendar-bot',
    at: instant(index),
    provenance_ref: `prov_${index % 7}`,
    resource: 'calendar:events',
    result: 'success',
    token: `sha256:${String(index % 7).repeat(64)}`,
    trust_score: 0.4,
    type: 'action.recorded',
    v: 1,
    ...members,
  }
  const names = Object.keys(leaf)
    .filter((name) => leaf[name] !== undefined)
    .sort()
  return `{${names.map((name) => `"${name}":${JSON.stringify(leaf[name])}`).join(',')}}`
}

export function instant(index: number): string {
  return new Date(START_MS + index * 1000).toISOString()
}

export function someLeaves(count: number): string[] {
  return Array.from({ length: count }, (_, index) => aLeaf(index))
}

/** Reads the files of a log from memory. */
export function readFrom(files: Files): (path: string) => Promise<Uint8Array | undefined> {
  return async (path) => files.get(path)
}
