import type { FaultCode } from '../../protocol/src/log/faults.ts'
import { leafHash } from '../../protocol/src/log/merkle.ts'
import { joinEntries, splitEntries } from '../../protocol/src/log/tiles.ts'
import {
  aLeaf,
  aLog,
  aNote,
  aSignatory,
  deploymentOf,
  type Files,
  someLeaves,
  type TestLog,
} from './a-log.ts'

/** How a server lies to a client that saw `before`, while `log` is the true log. */
export interface Lie {
  readonly name: string
  readonly expect: FaultCode
  tell(truth: { log: TestLog; before: TestLog }): Promise<Files> | Files
}

/** Sizes of the log when the client first saw it and now. */
export const BEFORE = 400
export const NOW = 600

function changed(log: TestLog, path: string, change: (bytes: Uint8Array) => Uint8Array): Files {
  const bytes = log.files.get(path)
  if (bytes === undefined) throw new Error(`the log has no ${path}`)
  return new Map([...log.files, [path, change(new Uint8Array(bytes))]])
}

function without(log: TestLog, path: string): Files {
  if (!log.files.has(path)) throw new Error(`the log has no ${path}`)
  return new Map([...log.files].filter(([name]) => name !== path))
}

function flipped(at: number): (bytes: Uint8Array) => Uint8Array {
  return (bytes) => bytes.map((byte, place) => (place === at ? byte ^ 1 : byte))
}

/** The files of a log with a different entry at `index` and matching hashes. */
async function withLeaf(log: TestLog, index: number, leaf: string | Uint8Array): Promise<Files> {
  const text = typeof leaf === 'string' ? leaf : Buffer.from(leaf).toString('latin1')
  return (await aLog({ leaves: log.leaves.map((own, nth) => (nth === index ? text : own)) })).files
}

const edited = (change: (note: string) => string) => (bytes: Uint8Array) =>
  Buffer.from(change(Buffer.from(bytes).toString('utf8')))

const LAST_BUNDLE = `tile/entries/002.p/${NOW - 512}`
const LAST_TILE = `tile/0/002.p/${NOW - 512}`
const UPPER_TILE = 'tile/1/000.p/2'

function signedAs(log: TestLog, parts: { size?: number; root?: Uint8Array }): Promise<Files> {
  return aNote({ size: NOW, root: log.root, ...parts }).then(
    (note) => new Map([...log.files, ['checkpoint', Buffer.from(note)]]),
  )
}

export const LIES: readonly Lie[] = [
  {
    name: 'hides its checkpoint',
    expect: 'checkpoint_missing',
    tell: ({ log }) => without(log, 'checkpoint'),
  },
  {
    name: 'serves a checkpoint without signatures',
    expect: 'checkpoint_malformed',
    tell: ({ log }) =>
      changed(
        log,
        'checkpoint',
        edited((note) => note.slice(0, note.indexOf('\n\n') + 2)),
      ),
  },
  {
    name: 'serves a checkpoint that is not text',
    expect: 'checkpoint_malformed',
    tell: ({ log }) => changed(log, 'checkpoint', () => Uint8Array.of(0xff, 0xfe, 0)),
  },
  {
    name: 'signs a size with a leading zero',
    expect: 'checkpoint_malformed',
    tell: ({ log }) =>
      changed(
        log,
        'checkpoint',
        edited((note) => note.replace('\n600\n', '\n0600\n')),
      ),
  },
  {
    name: 'is signed by an unknown key',
    expect: 'checkpoint_unsigned',
    async tell({ log }) {
      const note = await aNote({ size: NOW, root: log.root, signatory: aSignatory('stranger.example', 9) })
      return changed(log, 'checkpoint', () =>
        Buffer.from(note.replace('stranger.example\n', 'log.example/deputy\n')),
      )
    },
  },
  {
    name: 'claims one entry more than it signed',
    expect: 'signature_wrong',
    tell: ({ log }) =>
      changed(
        log,
        'checkpoint',
        edited((note) => note.replace('\n600\n', '\n601\n')),
      ),
  },
  {
    name: 'takes another name',
    expect: 'origin_changed',
    async tell({ log }) {
      const other = await aLog({ leaves: log.leaves, signatory: aSignatory('other.example/log') })
      return new Map([
        ...other.files,
        ['.well-known/deputy.json', deploymentOf('log.example/deputy', log.vkey)],
      ])
    },
  },
  {
    name: 'signs with another key',
    expect: 'key_changed',
    async tell({ log }) {
      const other = await aLog({ leaves: log.leaves, signatory: aSignatory(undefined, 2) })
      return new Map([
        ...other.files,
        ['.well-known/deputy.json', deploymentOf('log.example/deputy', log.vkey)],
      ])
    },
  },
  {
    name: 'forgets its last entries',
    expect: 'log_shrunk',
    tell: async ({ before }) => (await aLog({ leaves: before.leaves.slice(0, -1) })).files,
  },
  {
    name: 'serves another log of the same length',
    expect: 'log_forked',
    tell: async ({ before }) => await withLeaf(before, 17, aLeaf(17, { result: 'failure' })),
  },
  {
    name: 'changes an old entry and everything above it',
    expect: 'log_rewritten',
    tell: async ({ log }) => await withLeaf(log, 17, aLeaf(17, { result: 'failure' })),
  },
  {
    name: 'changes the last entry that was seen before, and everything above it',
    expect: 'log_rewritten',
    tell: async ({ log }) => await withLeaf(log, BEFORE - 1, aLeaf(BEFORE - 1, { result: 'failure' })),
  },
  {
    name: 'signs a wrong root',
    expect: 'root_wrong',
    tell: ({ log }) => signedAs(log, { root: leafHash('something else') }),
  },
  {
    name: 'signs an entry that it does not have',
    expect: 'bundle_missing',
    tell: ({ log }) => signedAs(log, { size: NOW + 200 }),
  },
  { name: 'withholds a tile of hashes', expect: 'tile_missing', tell: ({ log }) => without(log, LAST_TILE) },
  { name: 'withholds an upper tile', expect: 'tile_missing', tell: ({ log }) => without(log, UPPER_TILE) },
  {
    name: 'cuts a tile of hashes',
    expect: 'tile_truncated',
    tell: ({ log }) => changed(log, LAST_TILE, (bytes) => bytes.subarray(0, -1)),
  },
  {
    name: 'lengthens a tile of hashes',
    expect: 'tile_too_long',
    tell: ({ log }) => changed(log, LAST_TILE, (bytes) => Buffer.concat([bytes, Buffer.of(0)])),
  },
  {
    name: 'changes a leaf hash',
    expect: 'tile_wrong',
    tell: ({ log }) => changed(log, LAST_TILE, flipped(40)),
  },
  {
    name: 'swaps two leaf hashes',
    expect: 'tile_wrong',
    tell: ({ log }) =>
      changed(log, LAST_TILE, (bytes) =>
        Buffer.concat([bytes.subarray(32, 64), bytes.subarray(0, 32), bytes.subarray(64)]),
      ),
  },
  {
    name: 'changes a hash of an upper tile',
    expect: 'upper_tile_wrong',
    tell: ({ log }) => changed(log, UPPER_TILE, flipped(40)),
  },
  { name: 'withholds entries', expect: 'bundle_missing', tell: ({ log }) => without(log, LAST_BUNDLE) },
  {
    name: 'cuts a bundle of entries',
    expect: 'bundle_truncated',
    tell: ({ log }) => changed(log, LAST_BUNDLE, (bytes) => bytes.subarray(0, -1)),
  },
  {
    name: 'serves an empty bundle',
    expect: 'bundle_truncated',
    tell: ({ log }) => changed(log, LAST_BUNDLE, () => new Uint8Array(0)),
  },
  {
    name: 'adds an entry to a bundle',
    expect: 'bundle_too_long',
    tell: ({ log }) =>
      changed(log, LAST_BUNDLE, (bytes) => Buffer.concat([bytes, joinEntries([Buffer.from(aLeaf(600))])])),
  },
  {
    name: 'changes the text of an entry',
    expect: 'entry_wrong',
    tell: ({ log }) =>
      changed(
        log,
        LAST_BUNDLE,
        edited((text) => text.replace('"result":"success"', '"result":"failure"')),
      ),
  },
  {
    name: 'swaps two entries',
    expect: 'entry_wrong',
    tell: ({ log }) =>
      changed(log, LAST_BUNDLE, (bytes) => {
        const [first, second, ...rest] = splitEntries(bytes, NOW - 512) ?? []
        return joinEntries([second, first, ...rest].flatMap((entry) => entry ?? []))
      }),
  },
  {
    name: 'logs an entry that is not JSON',
    expect: 'entry_not_json',
    tell: async ({ log }) => await withLeaf(log, 550, 'an entry of mine'),
  },
  {
    name: 'logs JSON with a blank in it',
    expect: 'entry_not_canonical',
    tell: async ({ log }) => await withLeaf(log, 550, aLeaf(550).replace(',"v":1', ', "v":1')),
  },
  {
    name: 'logs members out of order',
    expect: 'entry_not_canonical',
    tell: async ({ log }) =>
      await withLeaf(log, 550, aLeaf(550).replace(',"v":1}', '}').replace('{', '{"v":1,')),
  },
  {
    name: 'logs a member twice',
    expect: 'entry_not_canonical',
    tell: async ({ log }) => await withLeaf(log, 550, aLeaf(550).replace(',"v":1}', ',"v":2,"v":1}')),
  },
  {
    name: 'logs an entry of another version',
    expect: 'entry_version',
    tell: async ({ log }) => await withLeaf(log, 550, aLeaf(550, { v: 2 })),
  },
  {
    name: 'logs an entry with an invalid type',
    expect: 'entry_shape',
    tell: async ({ log }) => await withLeaf(log, 550, aLeaf(550, { type: 'Unknown' })),
  },
  {
    name: 'logs an entry without a time',
    expect: 'entry_shape',
    tell: async ({ log }) => await withLeaf(log, 550, aLeaf(550, { at: 'yesterday' })),
  },
  {
    name: 'dates an entry back',
    expect: 'time_runs_back',
    tell: async ({ log }) => await withLeaf(log, 550, aLeaf(550, { at: '2026-12-31T00:00:00.000Z' })),
  },
]

/** The true log, and the part of it that was seen before. */
export async function aTruth(): Promise<{ log: TestLog; before: TestLog }> {
  const leaves = someLeaves(NOW)
  return { log: await aLog({ leaves }), before: await aLog({ leaves: leaves.slice(0, BEFORE) }) }
}
