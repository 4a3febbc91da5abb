import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  canonicalJson,
  decodeBase64,
  decodeCompact,
  leafHash,
  openCheckpoint,
  readVkey,
  splitEntries,
  splitHashes,
  verifyConsistency,
  verifyInclusion,
} from '@deputize/protocol'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const service = await aTestApp({ after })
const { body: token } = await service.post('/v1/vat/issue/l1', anIssueRequest())
const action = { vat_jti: token.jti, action: 'read', resource: 'calendar:events' }
const { body: recorded } = await service.post('/v1/vat/record/action', { ...action, result: 'success' })
const { body: pending } = await service.post('/v1/vat/authorize', action)
await service.post(`/v1/vat/aar/${pending.aar_id}/complete`, { result: 'success' })
await service.post(`/v1/vat/aar/${pending.aar_id}/feedback`, { rating: 'approved', note: 'thank you' })
const { body: deployment } = await service.get('/.well-known/deputy.json')
const key = readVkey(deployment.log.vkey)
await service.get(`/v1/vat/aar/${pending.aar_id}/receipt`) // makes the signer cover everything so far

const raw = async (url: string) => (await service.app.inject({ method: 'GET', url })).rawPayload
const bytes = (text: string) => decodeBase64(text) ?? assert.fail(`${text} is not base64`)

describe('the log', () => {
  test('publishes its name and key', () => {
    assert.equal(deployment.log.origin, key.name)
  })

  test('serves a checkpoint signed with its key', async () => {
    const answer = await service.get('/checkpoint')
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
    assert.equal(answer.headers['cache-control'], 'no-cache')
    const checkpoint = await openCheckpoint(answer.body, key)
    assert.equal(checkpoint.size, 5)
  })

  test('serves tiles and entries that never change and hash to its root', async () => {
    const answer = await service.get('/tile/0/000.p/5')
    assert.equal(answer.headers['content-type'], 'application/octet-stream')
    assert.match(String(answer.headers['cache-control']), /immutable/)
    const hashes = splitHashes(await raw('/tile/0/000.p/5'), 5)
    const entries = splitEntries(await raw('/tile/entries/000.p/5'), 5)
    assert.deepEqual(
      entries?.map((entry) => Buffer.from(leafHash(entry)).toString('hex')),
      hashes?.map((hash) => Buffer.from(hash).toString('hex')),
    )
    assert.equal(JSON.parse(String(Buffer.from(entries?.[0] ?? []))).type, 'token.issued')
  })

  for (const path of [
    '/tile/0/000',
    '/tile/entries/000',
    '/tile/0/000.p/6',
    '/tile/1/000.p/1',
    '/tile/63/000',
    '/tile/0/x001/000',
  ])
    test(`refuses ${path}, which is beyond its end`, async () => {
      const { status, body, headers } = await service.get(path)
      assert.equal(status, 404)
      assert.equal(body.code, 'log_entry_unknown')
      assert.equal(headers['cache-control'], undefined)
    })

  for (const path of [
    '/tile/64/000',
    '/tile/00/000',
    '/tile/-1/000',
    '/tile/leaves/000',
    '/tile/0/0',
    '/tile/0/000.p/0',
    '/tile/0/000.p/05',
    '/tile/0/000.p/256',
    '/tile/0/x000/000',
    '/tile/0/000/000',
    '/tile/0/000.p/5/',
    '/tile/0/..%2f..%2fkeys.json',
    '/tile/0/',
  ])
    test(`refuses ${path}, which is not a tile address`, async () => {
      const { status } = await service.get(path)
      assert.ok(status === 404 || status === 400, `${status}`)
    })

  test('lists its entries in order, with their exact text', async () => {
    const { body: first } = await service.get('/v1/vat/log/entries?limit=2')
    const { body: rest } = await service.get(`/v1/vat/log/entries?start=${first.next_start}`)
    assert.deepEqual([first.has_more, rest.has_more, first.size], [true, false, 5])
    const types = [...first.data, ...rest.data].map(({ leaf }: { leaf: string }) => JSON.parse(leaf).type)
    assert.deepEqual(types, [
      'token.issued',
      'action.recorded',
      'action.authorized',
      'action.completed',
      'action.rated',
    ])
    const { body: one } = await service.get('/v1/vat/log/entries/3')
    assert.deepEqual(one, rest.data[1])
    assert.deepEqual(bytes(one.leaf_hash), new Uint8Array(leafHash(one.leaf)))
    const { body: beyond } = await service.get('/v1/vat/log/entries?start=99')
    assert.deepEqual(beyond, { data: [], next_start: 99, has_more: false, size: 5 })
    assert.equal((await service.get('/v1/vat/log/entries/5')).body.code, 'log_entry_unknown')
  })

  test('salts every entry, so that its public hash confirms no guess of its content', async () => {
    const { body } = await service.get('/v1/vat/log/entries')
    const salts = body.data.map(({ leaf }: { leaf: string }) => JSON.parse(leaf).salt)
    for (const salt of salts) assert.equal(Buffer.from(salt, 'base64url').length, 16)
    assert.equal(new Set(salts).size, salts.length)
    for (const { leaf, leaf_hash } of body.data) {
      const { salt: _, ...guessed } = JSON.parse(leaf)
      assert.notDeepEqual(bytes(leaf_hash), new Uint8Array(leafHash(canonicalJson(guessed))))
    }
  })

  test('proves every entry in every tree', async () => {
    for (let size = 1; size <= 5; size += 1)
      for (let index = 0; index < size; index += 1) {
        const { body } = await service.get(`/v1/vat/log/proof/inclusion?index=${index}&size=${size}`)
        const isProof = verifyInclusion({
          index,
          size,
          leaf_hash: bytes(body.leaf_hash),
          root: bytes(body.root_hash),
          proof: body.proof.map(bytes),
        })
        assert.ok(isProof, `${index} of ${size}`)
      }
    const { body: latest } = await service.get('/v1/vat/log/proof/inclusion?index=0')
    assert.equal(latest.size, 5)
  })

  test('proves that it only grew', async () => {
    for (let to = 0; to <= 5; to += 1)
      for (let from = 0; from <= to; from += 1) {
        const { body } = await service.get(`/v1/vat/log/proof/consistency?from=${from}&to=${to}`)
        const isProof = verifyConsistency({
          from,
          to,
          from_root: bytes(body.from_root_hash),
          to_root: bytes(body.to_root_hash),
          proof: body.proof.map(bytes),
        })
        assert.ok(isProof, `${from} to ${to}`)
      }
  })

  test('names the parameter that is out of range', async () => {
    const code = async (query: string) => (await service.get(`/v1/vat/log/proof/${query}`)).body.code
    assert.equal(await code('inclusion?index=5&size=5'), 'log_entry_unknown')
    assert.equal(await code('inclusion?index=0&size=6'), 'log_entry_unknown')
    assert.equal(await code('inclusion'), 'invalid_request')
    assert.equal(await code('inclusion?index=-1'), 'invalid_request')
    assert.equal(await code('inclusion?index=1e99'), 'invalid_request')
    assert.equal(await code('consistency?from=3&to=2'), 'invalid_request')
    assert.equal(await code('consistency?from=1&to=9'), 'log_entry_unknown')
  })

  test('lists its checkpoints, newest first', async () => {
    const { body: page } = await service.get('/v1/vat/log/checkpoints?limit=1')
    assert.equal(page.data[0].size, 5)
    assert.equal((await openCheckpoint(page.data[0].note, key)).size, 5)
    const { body: older } = await service.get(`/v1/vat/log/checkpoints?cursor=${page.next_cursor}`)
    assert.deepEqual(
      older.data.map(({ size }: { size: number }) => size),
      [0],
    )
  })
})

describe('a receipt', () => {
  test('proves that an action was recorded, completed and rated', async () => {
    const { body: receipt } = await service.get(`/v1/vat/aar/${pending.aar_id}/receipt`)
    const { size, root } = await openCheckpoint(receipt.checkpoint, key)
    assert.deepEqual(
      receipt.entries.map(({ kind }: { kind: string }) => kind),
      ['created', 'completed', 'rated'],
    )
    for (const { index, leaf, leaf_hash, proof } of receipt.entries) {
      assert.deepEqual(bytes(leaf_hash), new Uint8Array(leafHash(leaf)))
      assert.ok(verifyInclusion({ index, size, leaf_hash: leafHash(leaf), root, proof: proof.map(bytes) }))
      assert.equal(JSON.parse(leaf).aar_id, pending.aar_id)
    }
    const { header, payload } = decodeCompact(receipt.statement)
    assert.equal(header.typ, 'receipt+jwt')
    assert.equal((payload as { aar_id: string }).aar_id, pending.aar_id)
  })

  test('of an action recorded in one call has one entry', async () => {
    const { body } = await service.get(`/v1/vat/aar/${recorded.aar_id}/receipt`)
    assert.equal(body.entries.length, 1)
  })

  test('covers the most recent change', async () => {
    const { body } = await service.post('/v1/vat/record/action', { ...action, result: 'success' })
    const { status, body: receipt } = await service.get(`/v1/vat/aar/${body.aar_id}/receipt`)
    assert.equal(status, 200)
    assert.equal((await openCheckpoint(receipt.checkpoint, key)).size, 6)
  })

  test('is refused for an unknown record', async () => {
    assert.equal((await service.get('/v1/vat/aar/aar_none/receipt')).body.code, 'record_unknown')
  })
})
