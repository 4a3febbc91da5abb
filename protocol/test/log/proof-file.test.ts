import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aLeaf, aLog, aSignatory, aWitness, someLeaves } from '@deputize/testing/log/a-log.ts'
import {
  aPack,
  aReceipt,
  aWorkflowLog,
  type Members,
  packText,
  WORKFLOW,
} from '@deputize/testing/log/a-workflow-log.ts'
import fc from 'fast-check'
import { encodeBase64 } from '../../src/encoding/base64.ts'
import { type FaultCode, LogFault } from '../../src/log/faults.ts'
import { verifyInclusionOf } from '../../src/log/inclusion.ts'
import { leafHash } from '../../src/log/merkle.ts'
import { UnknownFileError, verifyProofFile } from '../../src/log/proof-file.ts'
import { verifyProofPack } from '../../src/log/proof-pack.ts'
import { checkReceipt, type FileTrust } from '../../src/log/receipt.ts'
import { naiveRoot } from './naive-tree.ts'

const isFault = (code: FaultCode) => (error: unknown) => {
  assert.ok(error instanceof LogFault, String(error))
  assert.equal(error.fault, code, error.message)
  return true
}

async function* linesOf(lines: readonly unknown[]): AsyncGenerator<string> {
  for (const line of lines) yield typeof line === 'string' ? line : JSON.stringify(line)
}

async function* chunksOf(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const workflow = await aWorkflowLog()
const LOG = workflow.log.signatory.key
const OTHER_KEY = aSignatory(undefined, 2).key
const OTHER_LOG = aSignatory('other.example/log', 1).key

describe('a proof of inclusion', async () => {
  const log = await aLog({ size: 200 })
  const at = (size: number) => ({ origin: LOG.name, size, root: log.root })
  const longer = someLeaves(400).map((leaf) => Buffer.from(leaf))
  const rootAt = (size: number) => naiveRoot(longer.slice(0, size))

  test('holds for its leaf at its index', () => {
    for (const [index, leaf] of log.leaves.entries())
      verifyInclusionOf({ leaf, index, proof: log.proofOf(index), checkpoint: at(200) })
  })

  test('fails at any other index, in any other tree and for any other leaf', () => {
    const place = fc.integer({ min: 0, max: 199 })
    const size = fc.integer({ min: 1, max: 400 })
    fc.assert(
      fc.property(place, place, size, (own, index, other_size) => {
        fc.pre(own !== index || other_size !== 200)
        const proof = log.proofOf(own)
        const checkpoint = { ...at(other_size), root: rootAt(other_size) }
        const claim = { leaf: aLeaf(own), index, proof, checkpoint }
        assert.throws(() => verifyInclusionOf(claim), LogFault)
      }),
    )
    fc.assert(
      fc.property(place, place, (index, other) => {
        fc.pre(index !== other)
        const claim = { leaf: aLeaf(other), index, proof: log.proofOf(index), checkpoint: at(200) }
        assert.throws(() => verifyInclusionOf(claim), isFault('proof_wrong'))
      }),
    )
  })

  test('fails with the code of the fault', () => {
    const proof = log.proofOf(5)
    const claim = { leaf: aLeaf(5), index: 5, proof, checkpoint: at(200) }
    const wrongs: [Partial<typeof claim>, FaultCode][] = [
      [{ index: 200 }, 'index_beyond_tree'],
      [{ index: 4 }, 'proof_wrong'],
      [{ proof: proof.slice(1) }, 'proof_of_another_tree'],
      [{ proof: [...proof, proof[0] ?? ''] }, 'proof_of_another_tree'],
      [{ checkpoint: at(300) }, 'proof_of_another_tree'],
      [{ proof: ['?', ...proof.slice(1)] }, 'proof_malformed'],
      [{ proof: [encodeBase64(new Uint8Array(31)), ...proof.slice(1)] }, 'proof_malformed'],
      [{ proof: [encodeBase64(new Uint8Array(32)), ...proof.slice(1)] }, 'proof_wrong'],
    ]
    for (const [change, code] of wrongs)
      assert.throws(() => verifyInclusionOf({ ...claim, ...change }), isFault(code))
  })
})

describe('a receipt', () => {
  const receipt = aReceipt(workflow)
  const [created, completed, rated] = receipt.entries

  test('is sound, and the result says whether a key was pinned', async () => {
    const sound = await checkReceipt(receipt, { log: LOG })
    assert.equal(sound.pinned, true)
    assert.deepEqual(
      sound.entries.map(({ kind, index }) => [kind, index]),
      [
        ['created', 11],
        ['completed', 17],
        ['rated', 26],
      ],
    )
    assert.equal((await checkReceipt(receipt, {})).pinned, false)
    assert.ok(await checkReceipt({ ...receipt, entries: [created] }, { log: LOG }))
  })

  const wrongs: [string, unknown, FaultCode, FileTrust?][] = [
    ['is not an object', 7, 'receipt_malformed'],
    ['has no entries', { ...receipt, entries: [] }, 'receipt_malformed'],
    ['has an entry of no kind', { ...receipt, entries: [{ ...created, kind: 'x' }] }, 'receipt_malformed'],
    ['has an index below zero', { ...receipt, entries: [{ ...created, index: -1 }] }, 'receipt_malformed'],
    ['names no key', { ...receipt, vkey: 'none' }, 'receipt_malformed'],
    ['names the key of another log', { ...receipt, origin: 'x.example' }, 'receipt_malformed'],
    ['is of another key', receipt, 'key_changed', { log: OTHER_KEY }],
    ['is of another log', receipt, 'origin_changed', { log: OTHER_LOG }],
    [
      'has a changed checkpoint',
      { ...receipt, checkpoint: receipt.checkpoint.replace('\n300\n', '\n299\n') },
      'signature_wrong',
    ],
    ['has no witness', receipt, 'witnesses_too_few', { witnesses: [aWitness('w.example', 5).key] }],
    ['has a changed leaf', { ...receipt, entries: [{ ...created, leaf: aLeaf(1) }] }, 'leaf_hash_wrong'],
    [
      'has a changed leaf with its hash',
      { ...receipt, entries: [{ ...created, leaf: aLeaf(1), leaf_hash: encodeBase64(leafHash(aLeaf(1))) }] },
      'proof_wrong',
    ],
    ['has another index', { ...receipt, entries: [{ ...created, index: 12 }] }, 'proof_wrong'],
    [
      'has an index beyond the tree',
      { ...receipt, entries: [{ ...created, index: 300 }] },
      'index_beyond_tree',
    ],
    ['is of another record', { ...receipt, aar_id: 'aar_1' }, 'receipt_of_another_record'],
    [
      'calls a rating a completion',
      { ...receipt, entries: [created, { ...rated, kind: 'completed' }] },
      'receipt_kind_wrong',
    ],
    ['lacks the creation of its record', { ...receipt, entries: [completed] }, 'receipt_incomplete'],
    ['contains an entry twice', { ...receipt, entries: [created, created] }, 'receipt_repeated'],
  ]
  for (const [what, value, code, trust = {}] of wrongs)
    test(`that ${what} is refused: ${code}`, async () => {
      await assert.rejects(checkReceipt(value, trust), isFault(code))
    })
})

/** The pack with its line `at` changed, or without it. */
function packWith(at: number, change: (line: Members) => unknown): unknown[] {
  const lines = aPack(workflow)
  const place = at < 0 ? lines.length + at : at
  return lines.flatMap((line, nth) => {
    const next = nth === place ? change(line) : line
    return next === undefined ? [] : [next]
  })
}

/** The pack with changed members in record `nth`. */
function recordWith(nth: number, members: Members): unknown[] {
  const first = 1 + workflow.indexes.length
  return packWith(first + nth, ({ record }) => ({ record: { ...(record as Members), ...members } }))
}

describe('a proof pack', () => {
  const lines = aPack(workflow)
  const [header, ...rest] = lines
  const swapped = (left: number, right: number) =>
    lines.map((line, nth) => (nth === left ? lines[right] : nth === right ? lines[left] : line))

  test('is sound, and the result lists its contents', async () => {
    const sound = await verifyProofPack(linesOf(lines), { log: LOG })
    assert.deepEqual([sound.provenance_ref, sound.entries, sound.records], [WORKFLOW, 11, 5])
    assert.deepEqual(sound.indexes, workflow.indexes)
    assert.equal(sound.pinned, true)
    assert.equal((await verifyProofPack(linesOf(lines), {})).pinned, false)
  })

  test('may have records with a note and metadata, which cannot be checked', async () => {
    const personal = recordWith(0, { note: 'anything', metadata: { a: [1] }, trace_id: 'x' })
    assert.ok(await verifyProofPack(linesOf(personal), {}))
  })

  const first_record = 1 + workflow.indexes.length
  const foreign = { index: 0, leaf: workflow.log.leaves[0], proof: workflow.log.proofOf(0) }
  const wrongs: [string, readonly unknown[], FaultCode, FileTrust?][] = [
    ['is empty', [], 'pack_malformed'],
    ['is of another format', packWith(0, (line) => ({ ...line, format: 'x' })), 'pack_malformed'],
    ['is of another version', packWith(0, (line) => ({ ...line, version: 2 })), 'pack_version'],
    ['names no workflow', packWith(0, ({ provenance_ref: _, ...line }) => line), 'pack_malformed'],
    ['has a line that is no JSON', packWith(3, () => '{'), 'pack_malformed'],
    ['has a line with a member twice', packWith(3, () => '{"index":1,"index":2}'), 'pack_malformed'],
    ['has an empty line', packWith(3, () => ''), 'pack_malformed'],
    ['has an entry without a proof', packWith(3, ({ proof: _, ...line }) => line), 'pack_malformed'],
    ['has a record without a valid index', recordWith(0, { log_index: 'x' }), 'pack_malformed'],
    ['is of another key', lines, 'key_changed', { log: OTHER_KEY }],
    ['is of another log', lines, 'origin_changed', { log: OTHER_LOG }],
    ['ends early', lines.slice(0, -1), 'pack_truncated'],
    ['ends after its first line', lines.slice(0, 1), 'pack_truncated'],
    ['continues after its last line', [...lines, rest[0]], 'pack_continues'],
    ['has two entries swapped', swapped(2, 3), 'pack_out_of_order'],
    ['has two records swapped', swapped(first_record, first_record + 1), 'pack_out_of_order'],
    [
      'has a record among its entries',
      lines.toSpliced(first_record, 1).toSpliced(4, 0, lines[first_record] ?? {}),
      'pack_out_of_order',
    ],
    ['has an entry twice', [header, rest[0], ...rest], 'pack_repeated'],
    ['has a record twice', lines.toSpliced(first_record, 0, lines[first_record] ?? {}), 'pack_repeated'],
    ['has an entry of another workflow', lines.toSpliced(1, 0, foreign), 'pack_of_another_workflow'],
    [
      'names another workflow',
      packWith(0, (line) => ({ ...line, provenance_ref: 'prov_x' })),
      'pack_of_another_workflow',
    ],
    ['counts its entries wrong', packWith(-1, (line) => ({ ...line, entries: 8 })), 'pack_count_wrong'],
    ['counts its records wrong', packWith(-1, (line) => ({ ...line, records: 4 })), 'pack_count_wrong'],
    ['has an entry whose index is wrong', packWith(3, (line) => ({ ...line, index: 9 })), 'proof_wrong'],
    ['has a changed leaf', packWith(3, (line) => ({ ...line, leaf: aLeaf(8) })), 'proof_wrong'],
    ['lacks the entry that completes a record', packWith(6, () => undefined), 'record_untold'],
    [
      'lacks the entry of a token that acted',
      packWith(1, () => undefined).with(-1, { end: true, entries: 10, records: 5 }),
      'record_untold',
    ],
    [
      'lacks a record',
      packWith(first_record + 1, () => undefined).with(-1, { end: true, entries: 11, records: 4 }),
      'record_missing',
    ],
    [
      'hides a rating',
      recordWith(2, {
        rated_log_index: undefined,
        rating: undefined,
        rater_assurance: undefined,
        feedback_at: undefined,
      }),
      'record_hides',
    ],
    [
      'hides a cancellation',
      recordWith(3, {
        completed_log_index: undefined,
        completed_at: undefined,
        state: 'pending',
        spend_usd: 1,
        evidence: 'observed',
      }),
      'record_hides',
    ],
  ]
  for (const [what, pack, code, trust = {}] of wrongs)
    test(`that ${what} is refused: ${code}`, async () => {
      await assert.rejects(verifyProofPack(linesOf(pack), trust), isFault(code))
    })

  const claims: [number, Members][] = [
    ...[
      'aar_id',
      'agent_id',
      'action',
      'resource',
      'token',
      'parent_aar_id',
      'provenance_ref',
      'leaf_hash',
    ].map((name): [number, Members] => [1, { [name]: 'sha256:00' }]),
    [1, { trust_score: 0.9 }],
    [1, { created_at: '2027-01-01T00:00:00.000Z' }],
    [1, { parent_aar_id: undefined }],
    [1, { human_ref: 'sha256:00' }],
    [1, { assurance_level: 'L3' }],
    [1, { delegation_depth: 1 }],
    [1, { state: 'completed' }],
    [1, { result: 'success' }],
    [1, { rating: 'approved' }],
    [0, { result: 'failure' }],
    [0, { result_hash: 'sha256:00' }],
    [0, { spend_usd: 0.24 }],
    [0, { completed_at: '2027-01-01T00:00:00.000Z' }],
    [0, { completed_log_index: undefined }],
    [2, { result: 'success' }],
    [2, { result_hash: undefined }],
    [2, { spend_usd: 2 }],
    [2, { over_budget: undefined }],
    [2, { state: 'cancelled' }],
    [2, { completed_log_index: 23 }],
    [2, { completed_log_index: 26 }],
    [2, { rating: 'rejected' }],
    [2, { rater_assurance: 'L3' }],
    [2, { feedback_at: '2027-01-01T00:00:00.000Z' }],
    [2, { rated_log_index: 17 }],
    [3, { state: 'expired' }],
    [3, { spend_usd: 1 }],
    [3, { log_index: 24 }],
    [0, { evidence: 'observed' }],
    [0, { evidence: undefined }],
    [1, { evidence: 'self_reported' }],
    [2, { evidence: 'countersigned' }],
    [3, { evidence: 'observed' }],
    [4, { evidence: 'self_reported' }],
    [0, { over_budget: true }],
    [0, { exceeded: true }],
    [0, { completed_after_revocation: true }],
    [3, { over_budget: true }],
    [3, { rater_assurance: 'L3' }],
  ]
  for (const [nth, members] of claims)
    test(`whose record ${nth} says ${JSON.stringify(members)} is refused`, async () => {
      await assert.rejects(verifyProofPack(linesOf(recordWith(nth, members)), {}), isFault('record_untold'))
    })
})

describe('a file', () => {
  const pack = packText(aPack(workflow))
  const receipt = aReceipt(workflow)

  test('is recognized by its content, in chunks of any size', async () => {
    for (const length of [1000, 65_536, 7]) {
      assert.equal((await verifyProofFile(chunksOf(pack, length), {})).kind, 'pack')
      assert.equal((await verifyProofFile(chunksOf(JSON.stringify(receipt), length), {})).kind, 'receipt')
      assert.equal(
        (await verifyProofFile(chunksOf(JSON.stringify(receipt, null, 2), length), {})).kind,
        'receipt',
      )
    }
  })

  test('truncated anywhere after its first line is refused', async () => {
    const first = Buffer.from(pack).indexOf('\n')
    const cut = fc.integer({ min: first, max: Buffer.byteLength(pack) - 2 })
    await fc.assert(
      fc.asyncProperty(cut, async (length) => {
        const text = Buffer.from(pack).subarray(0, length).toString()
        await assert.rejects(verifyProofFile(chunksOf(text, 4096), {}), LogFault)
      }),
    )
  })

  test('of another type is not reported as a fault of the log', async () => {
    for (const text of ['', 'hello', '{}', '[1]', '{"aar_id":1}\n{', `{"x":"${'y'.repeat(5_000_000)}`])
      await assert.rejects(verifyProofFile(chunksOf(text, 65_536), {}), UnknownFileError)
    async function* binary() {
      yield Uint8Array.of(0xff, 0xfe)
    }
    await assert.rejects(verifyProofFile(binary(), {}), UnknownFileError)
  })
})
