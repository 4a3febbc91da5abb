import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  ActionRecord,
  csvCell,
  EXPORT_FORMATS,
  inclusionProof,
  leafHash,
  nodeHash,
  type OcsfRow,
  openCheckpoint,
  readJson,
  readVkey,
  TEXT_FORMATS,
  tokenRef,
  verifyInclusion,
} from '@deputize/protocol'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { assertOcsf } from '@deputize/testing/ocsf-schema.ts'
import type { ValidateFunction } from 'ajv'
import { type LogProofs, proofPack } from '../../src/operations/workflows/exports/proof-pack.ts'
import { snapshotOf } from '../../src/operations/workflows/exports/snapshot.ts'
import type { ReadStore } from '../../src/store/port.ts'
import { provSchema } from './prov-schema.ts'
import { readCsv } from './read-csv.ts'

const VECTORS = fileURLToPath(new URL('../../../vectors/', import.meta.url))
const READ = { action: 'read', resource: 'calendar:events' }
const RESULT_HASH = `sha256:${'ab'.repeat(32)}`

const NAUGHTY: readonly string[] = [
  ...JSON.parse(readFileSync(join(VECTORS, 'naughty-strings/blns.json'), 'utf8')),
  '\u0000',
  'line\r\nbreak',
  '\u2028',
  '=cmd|" /C calc"!A0',
  ' +1',
  '"@SUM(1)',
  '＝1',
  "'already",
  '\t=1',
]

// biome-ignore lint/suspicious/noExplicitAny: tests read exports freely; a wrong shape fails the test
type Any = any

async function aRoot(service: TestApp, changes: Record<string, unknown> = {}): Promise<Any> {
  const request = anIssueRequest({ actions: ['read', 'write', 'delegate'], ...changes })
  const { status, body } = await service.post('/v1/vat/issue/l1', request)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

async function aChild(service: TestApp, vat_jti: string, agent_id: string): Promise<Any> {
  const actions = ['read', 'delegate']
  return (await service.post('/v1/vat/delegate', { vat_jti, agent_id, actions })).body
}

async function aRecord(service: TestApp, vat_jti: string, changes: Record<string, unknown> = {}) {
  const asked = { vat_jti, ...READ, result: 'success', ...changes }
  const { status, body } = await service.post('/v1/vat/record/action', asked)
  assert.equal(status, 200, JSON.stringify(body))
  return body.aar_id as string
}

async function exported(service: TestApp, ref: string, format: string): Promise<string> {
  const { app } = service
  const answer = await app.inject({ url: `/v1/vat/aar/provenance/${ref}/export?format=${format}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.body
}

/** A small workflow with every kind of entry. */
async function aWorkflow(service: TestApp) {
  const root = await aRoot(service)
  const child = await aChild(service, root.jti, 'helper')
  const first = await aRecord(service, root.jti, { result_hash: RESULT_HASH, spend_usd: 0.5 })
  const second = await aRecord(service, child.jti, { parent_aar_id: first, metadata: { ticket: 7 } })
  const pending = (await service.post('/v1/vat/authorize', { vat_jti: root.jti, ...READ })).body.aar_id
  await service.post(`/v1/vat/aar/${second}/feedback`, { rating: 'flagged', note: 'a, "note"' })
  await service.post('/v1/vat/renew', { vat_jti: child.jti, expires_in: 600 })
  await service.post('/v1/vat/authorize', { vat_jti: root.jti, action: 'delete', resource: 'x:y' })
  await service.post('/v1/vat/revoke', { vat_jti: child.jti })
  return { root, child, first, second, pending, ref: root.provenance_ref as string }
}

/** The record as the API returns it, with the member names of exports. */
async function published(service: TestApp, aar_id: string): Promise<Any> {
  const { vat_jti, root_jti, ...record } = (await service.get(`/v1/vat/aar/${aar_id}`)).body
  return { ...record, token: tokenRef(vat_jti), root_token: tokenRef(root_jti) }
}

describe('every export', () => {
  test('is a download named after the workflow, without token ids', async (t) => {
    const service = await aTestApp(t)
    const { ref } = await aWorkflow(service)
    for (const [format, { media_type, extension }] of Object.entries(EXPORT_FORMATS)) {
      const url = `/v1/vat/aar/provenance/${ref}/export?format=${format}`
      const { headers, body } = await service.app.inject({ url })
      assert.ok(String(headers['content-type']).startsWith(media_type))
      assert.equal(headers['content-disposition'], `attachment; filename="${ref}.${extension}"`)
      assert.ok(body.length > 100)
      assert.doesNotMatch(body, /vat_root_|vat_sub_|"jti"|vat_jti|root_jti/)
    }
  })

  test('of a workflow without actions is a complete file', async (t) => {
    const service = await aTestApp(t)
    const { provenance_ref } = await aRoot(service)
    assert.equal(await exported(service, provenance_ref, 'ndjson'), '')
    assert.equal(readCsv(await exported(service, provenance_ref, 'csv')).length, 1)
    const document = JSON.parse(await exported(service, provenance_ref, 'prov-json'))
    assert.deepEqual([document.activity, Object.keys(document.agent).length], [{}, 2])
  })

  test('requires a known format and a known workflow', async (t) => {
    const service = await aTestApp(t)
    const { provenance_ref } = await aRoot(service)
    for (const query of ['', '?format=xml', '?format=csv&x=1']) {
      const bad = await service.get(`/v1/vat/aar/provenance/${provenance_ref}/export${query}`)
      assert.deepEqual([bad.status, bad.body.code], [400, 'invalid_request'], query)
    }
    const unknown = await service.get('/v1/vat/aar/provenance/prov_x/export?format=csv')
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'workflow_unknown'])
    assert.equal(unknown.headers['content-disposition'], undefined)
  })

  test('of an erased person contains the mark of the erasure and none of their data', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref, claims } = await aRoot(service)
    const aar_id = await aRecord(service, jti, { metadata: { secret: 'hush, hush' } })
    await service.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved', note: 'hush, hush' })
    // OCSF rows are built from events, which contain no text that people wrote.
    const withText = Object.keys(EXPORT_FORMATS).filter((format) => format !== 'ocsf')
    for (const format of withText) assert.match(await exported(service, provenance_ref, format), /hush, hush/)
    assert.doesNotMatch(await exported(service, provenance_ref, 'ocsf'), /hush, hush/)
    const url = `/v1/vat/humans/${claims.svc_human_ref}`
    assert.equal((await service.app.inject({ method: 'DELETE', url })).statusCode, 200)
    for (const format of withText) {
      const text = await exported(service, provenance_ref, format)
      assert.doesNotMatch(text, /hush, hush/)
      assert.match(text, /erased/)
    }
  })

  test('reads ahead no further than its reader has consumed', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref } = await aRoot(service)
    const items = Array.from({ length: 1000 }, () => ({ vat_jti: jti, ...READ, result: 'success' }))
    for (let i = 0; i < 3; i++) await service.post('/v1/vat/record/batch', { items })
    const { reader } = service
    let pages = 0
    const counting: ReadStore = {
      ...reader,
      workflows: {
        ...reader.workflows,
        records(...asked) {
          pages += 1
          return reader.workflows.records(...asked)
        },
      },
    }
    const facts = await reader.workflows.facts(provenance_ref)
    assert.ok(facts !== undefined)
    const snapshot = snapshotOf(facts, (await reader.log.head()).size, counting)
    let taken = 0
    for await (const record of snapshot.records()) {
      assert.equal(record.vat_jti, jti)
      taken += 1
      assert.ok(pages <= Math.ceil(taken / 200), `${pages} pages for ${taken} records`)
    }
    assert.equal(taken, 3000)
  })
})

describe('ndjson', () => {
  test('has one record per line, oldest first, as the API returns it', async (t) => {
    const service = await aTestApp(t)
    const { ref, first, second, pending } = await aWorkflow(service)
    const text = await exported(service, ref, 'ndjson')
    assert.ok(text.endsWith('\n'))
    const lines = text.trimEnd().split('\n')
    const expected = []
    for (const id of [first, second, pending]) expected.push(await published(service, id))
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      expected,
    )
  })
})

/** The text that a cell encodes. */
const cellText = (cell: string) => (cell.startsWith("'") ? cell.slice(1) : cell)

describe('csv', () => {
  test('has a header line, one line per record, plain numbers and metadata as JSON', async (t) => {
    const service = await aTestApp(t)
    const { ref, first, second, pending } = await aWorkflow(service)
    const [header = [], ...lines] = readCsv(await exported(service, ref, 'csv'))
    assert.equal(lines.length, 3)
    for (const [place, id] of [first, second, pending].entries()) {
      const record = await published(service, id)
      assert.deepEqual(
        Object.keys(record).filter((name) => !header.includes(name)),
        [],
        'a member has no column',
      )
      for (const [column, name] of header.entries()) {
        const cell = lines[place]?.[column]
        const value = record[name]
        assert.equal(cell, name === 'metadata' && value ? JSON.stringify(value) : String(value ?? ''), name)
      }
    }
  })

  test('has a column for every member of a record', async (t) => {
    const service = await aTestApp(t)
    const { provenance_ref } = await aRoot(service)
    const [header] = readCsv(await exported(service, provenance_ref, 'csv'))
    const { vat_jti: _jti, root_jti: _root, ...members } = ActionRecord.properties
    assert.deepEqual(new Set(header), new Set(['token', 'root_token', ...Object.keys(members)]))
  })

  test('never starts a cell with a formula character, and loses no text', () => {
    const dangerous = [
      '=1+1',
      '+1',
      '-1',
      '@x',
      '\tx',
      '\rx',
      '\nx',
      ' =1',
      '"=1"',
      "'=1",
      '\u00a0=1',
      '＝1',
      '＋1',
      '－1',
      '＠x',
      ' "\' =1',
    ]
    for (const text of dangerous) {
      const [[cell = '', next] = []] = readCsv(`${csvCell(text)},x\r\n`)
      assert.equal(next, 'x')
      assert.equal(cell, `'${text}`)
    }
    for (const text of ['plain', 'a=b', '1', '', ',', '"', '“=1'])
      assert.equal(readCsv(`${csvCell(text)},x\r\n`)[0]?.[0], text)
    assert.equal(readCsv(`${csvCell("'x")},x\r\n`)[0]?.[0], "''x")
    assert.deepEqual(
      [csvCell(-1), csvCell(0.25), csvCell(true), csvCell(undefined)],
      ['-1', '0.25', 'true', ''],
    )
  })
})

describe('naughty strings', () => {
  test('survive every format in every field that accepts them', async (t) => {
    const service = await aTestApp(t)
    const actions = [...new Set(NAUGHTY.filter(TEXT_FORMATS.action.check))].filter((text) => text !== 'read')
    const names = NAUGHTY.filter((text) => TEXT_FORMATS.resource.check(`space:${text}`))
    assert.ok(actions.length > 20 && names.length > 20)

    /** A workflow with one record for each of these, rated if it has a note. */
    async function workflowOf(deeds: readonly (Record<string, unknown> & { note?: string })[]) {
      const own = deeds.flatMap(({ action }) => action ?? [])
      const scope = { actions: ['read', ...own], resources: ['space:*', READ.resource] }
      const { jti, provenance_ref } = await aRoot(service, scope)
      const done: { aar_id: string; note: string | undefined }[] = []
      for (const { note, ...changes } of deeds) {
        const asked = { vat_jti: jti, ...READ, result: 'success', ...changes }
        const { status, body } = await service.post('/v1/vat/record/action', asked)
        if (status === 200) done.push({ aar_id: body.aar_id, note })
      }
      const kept = await inHandfuls(done, async ({ aar_id, note }) => {
        const rating = { rating: 'approved', note }
        if (note !== undefined) await service.post(`/v1/vat/aar/${aar_id}/feedback`, rating)
        return published(service, aar_id)
      })
      return { ref: provenance_ref as string, kept }
    }

    // Few enough actions for a token to fit into 8 KiB.
    for (let start = 0; start < actions.length; start += 20) {
      const { ref, kept } = await workflowOf(actions.slice(start, start + 20).map((action) => ({ action })))
      assert.equal(kept.length, Math.min(20, actions.length - start))
      await assertSurvived(service, ref, kept)
    }
    const { ref, kept } = await workflowOf([
      ...names.map((name) => ({ resource: `space:${name}` })),
      ...NAUGHTY.map((text) => ({ metadata: { [text]: text, list: [text] }, note: text })),
    ])
    assert.ok(kept.filter(({ note }) => note !== undefined).length > 400)
    assert.ok(kept.filter(({ metadata }) => metadata !== undefined).length > 400)
    await assertSurvived(service, ref, kept)
  })
})

/** Runs up to 32 at once, so that they share commits. */
async function inHandfuls<T, R>(list: readonly T[], use: (one: T) => Promise<R>): Promise<R[]> {
  const all: R[] = []
  for (let start = 0; start < list.length; start += 32)
    all.push(...(await Promise.all(list.slice(start, start + 32).map(use))))
  return all
}

/** Asserts that every format contains what the API returns for a workflow. */
async function assertSurvived(service: TestApp, ref: string, kept: Any[]): Promise<void> {
  const lines = (await exported(service, ref, 'ndjson')).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    kept,
  )

  const [header = [], ...rows] = readCsv(await exported(service, ref, 'csv'))
  assert.equal(rows.length, kept.length)
  for (const [place, record] of kept.entries())
    for (const [column, name] of header.entries()) {
      const value = record[name] ?? ''
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      assert.equal(cellText(rows[place]?.[column] ?? 'no cell'), text)
      assert.doesNotMatch(rows[place]?.[column] ?? '', /^\s*[=+@＝＋－＠\t\r\n]/)
    }

  const document: Any = JSON.parse(await exported(service, ref, 'prov-json'))
  const validate = provSchema()
  assert.ok(isValid(validate, document), JSON.stringify(validate.errors?.slice(0, 3)))
  assertSound(document)
  for (const record of kept) {
    const activity = document.activity[`here:action-${record.aar_id}`]
    assert.equal(activity['deputy:action'], record.action)
    assert.equal(activity['deputy:note'], record.note)
    assert.equal(activity['deputy:metadata'], record.metadata && JSON.stringify(record.metadata))
    const used = document.used[`_:usage-${record.aar_id}`]['prov:entity']
    assert.equal(document.entity[used]['deputy:resource'], record.resource)
  }

  assert.deepEqual(
    linesOf(await exported(service, ref, 'proof-pack')).flatMap((line) => line.record ?? []),
    kept,
  )
}

/** Not a type predicate, which would narrow the type of the document. */
function isValid(validate: ValidateFunction, document: unknown): boolean {
  return validate(document)
}

const NAME = /^(?:prov|deputy|here):[A-Za-z0-9_][A-Za-z0-9_-]*$/

/** Checks more than the schema: names are valid, and each relation refers to declared statements of the right kind. */
function assertSound(document: Any): void {
  const declared = { a: document.activity, e: document.entity, g: document.agent }
  for (const kind of Object.values(declared))
    for (const name of Object.keys(kind as object)) assert.match(name, NAME)
  const ends: Record<string, Record<string, 'a' | 'e' | 'g'>> = {
    wasAssociatedWith: { 'prov:activity': 'a', 'prov:agent': 'g', 'prov:plan': 'e' },
    actedOnBehalfOf: { 'prov:delegate': 'g', 'prov:responsible': 'g' },
    wasDerivedFrom: { 'prov:generatedEntity': 'e', 'prov:usedEntity': 'e' },
    used: { 'prov:activity': 'a', 'prov:entity': 'e' },
    wasGeneratedBy: { 'prov:entity': 'e', 'prov:activity': 'a' },
    wasInformedBy: { 'prov:informed': 'a', 'prov:informant': 'a' },
  }
  for (const [relation, roles] of Object.entries(ends))
    for (const statement of Object.values<Any>(document[relation]))
      for (const [role, kind] of Object.entries(roles))
        assert.ok(statement[role] in declared[kind], `${relation}: ${role} ${statement[role]}`)
}

describe('PROV-JSON', () => {
  test('states who acted, with which token, for whom, on what, and why', async (t) => {
    const service = await aTestApp(t)
    const { ref, root, child, first, second } = await aWorkflow(service)
    const text = await exported(service, ref, 'prov-json')
    const document: Any = readJson(Buffer.from(text)) // also refuses duplicate members
    const validate = provSchema()
    assert.ok(isValid(validate, document), JSON.stringify(validate.errors))
    assertSound(document)
    const tokenName = (jti: string) => `here:token-${tokenRef(jti).slice(7)}`
    const named = (where: string, attribute: string, value: string) =>
      Object.entries<Any>(document[where]).find(([, members]) => members[attribute] === value)?.[0]
    const human = named('agent', 'deputy:human_ref', root.claims.svc_human_ref)
    const bot = named('agent', 'deputy:agent_id', 'agent:calendar-bot')
    const helper = named('agent', 'deputy:agent_id', 'agent:helper')
    assert.deepEqual(document.agent[human ?? '']['prov:type'].$, 'prov:Person')
    assert.deepEqual(document.agent[bot ?? '']['prov:type'].$, 'prov:SoftwareAgent')
    assert.deepEqual(document.wasAssociatedWith[`_:association-${second}`], {
      'prov:activity': `here:action-${second}`,
      'prov:agent': helper,
      'prov:plan': tokenName(child.jti),
    })
    assert.deepEqual(
      new Set(
        Object.values<Any>(document.actedOnBehalfOf).map((one) =>
          [one['prov:delegate'], one['prov:responsible']].join(),
        ),
      ),
      new Set([`${bot},${human}`, `${helper},${bot}`]),
    )
    const derived = Object.values<Any>(document.wasDerivedFrom)
    assert.deepEqual(
      derived.find((one) => one['prov:generatedEntity'] === tokenName(child.jti)),
      {
        'prov:generatedEntity': tokenName(child.jti),
        'prov:usedEntity': tokenName(root.jti),
        'prov:type': { $: 'deputy:Delegation', type: 'prov:QUALIFIED_NAME' },
      },
    )
    assert.deepEqual(derived.map((one) => one['prov:type'].$).sort(), ['deputy:Delegation', 'deputy:Renewal'])
    assert.deepEqual(Object.values(document.wasInformedBy), [
      { 'prov:informed': `here:action-${second}`, 'prov:informant': `here:action-${first}` },
    ])
    assert.deepEqual(Object.values(document.wasGeneratedBy), [
      { 'prov:entity': `here:result-${first}`, 'prov:activity': `here:action-${first}` },
    ])
    assert.equal(document.entity[`here:result-${first}`]['deputy:result_hash'], RESULT_HASH)
    assert.equal(Object.keys(document.activity).length, 3)
    assert.deepEqual(document.activity[`here:action-${first}`]['prov:startTime'], '2027-01-01T00:00:00.000Z')
  })

  test('is checked by a validator that rejects bad documents', () => {
    const validate = provSchema()
    const read = (name: string) => readFileSync(join(VECTORS, 'prov', name), 'utf8')
    const valid = readdirSync(join(VECTORS, 'prov/valid-json'))
    assert.equal(valid.length, 90)
    // The schema requires both ends of these relations and single members. The library that wrote these files doesn't.
    const loose = /^(association2|(attribution|communication|delegation|influence)[12]|member[123])\.json$/
    assert.equal(valid.filter((name) => loose.test(name)).length, 12)
    for (const name of valid) {
      const taken = isValid(validate, JSON.parse(read(`valid-json/${name}`)))
      assert.equal(taken, !loose.test(name), `${name}: ${JSON.stringify(validate.errors)}`)
    }
    const malformed = readdirSync(join(VECTORS, 'prov/malformed-json'))
    assert.equal(malformed.length, 10)
    for (const name of malformed) {
      const judged = () => validate(JSON.parse(read(`malformed-json/${name}`)))
      if (['empty.json', 'not_json.json'].includes(name)) assert.throws(judged, SyntaxError)
      else assert.equal(judged(), false, name)
    }
  })
})

/** Proofs computed from the leaf texts alone. */
function proofsOf(texts: readonly string[]): LogProofs {
  const known = new Map<string, Uint8Array>()
  function node(level: number, index: number): Uint8Array {
    const place = `${level}/${index}`
    const hash =
      known.get(place) ??
      (level === 0
        ? leafHash(texts[index] ?? '')
        : nodeHash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1)))
    known.set(place, hash)
    return hash
  }
  return { inclusionProof: async (index, size) => inclusionProof(index, size, node) }
}

const checkpointAt = (size: number) => ({ origin: 'log.example', vkey: 'a key', note: 'a note', size })

const linesOf = (text: string): Any[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The pack at the time when the log had `size` leaves. */
async function packAt(size: number, service: TestApp, ref: string): Promise<Any[]> {
  const { reader } = service
  const facts = await reader.workflows.facts(ref)
  assert.ok(facts !== undefined)
  const proofs = proofsOf((await service.leafTexts()).slice(0, size))
  let text = ''
  const pieces = proofPack(snapshotOf(facts, size, reader), checkpointAt(size), proofs, service.clock())
  for await (const piece of pieces) text += piece
  return linesOf(text)
}

describe('a proof pack', () => {
  test('contains the checkpoint, every leaf of the workflow with its proof, every record and an end line', async (t) => {
    const service = await aTestApp(t)
    await aWorkflow(service)
    const { ref } = await aWorkflow(service)
    await aWorkflow(service)
    const { origin, vkey } = (await service.get('/.well-known/deputy.json')).body.log
    const text = await exported(service, ref, 'proof-pack')
    const texts = await service.leafTexts()
    const lines = linesOf(text)
    const { checkpoint, ...first } = lines[0] ?? {}
    assert.deepEqual(first, {
      format: 'deputy-proof-pack',
      version: 1,
      provenance_ref: ref,
      origin,
      vkey,
      exported_at: '2027-01-01T00:00:00.000Z',
    })
    const { size, root } = await openCheckpoint(checkpoint, readVkey(vkey))
    const entries = lines.filter((line) => 'leaf' in line)
    assert.deepEqual(
      entries.map(({ index, leaf }) => [index, leaf]),
      [...texts.entries()].filter(([, one]) => JSON.parse(one).provenance_ref === ref),
    )
    const proofs = proofsOf(texts.slice(0, size))
    for (const { index, leaf, proof } of entries) {
      const hashes = proof.map((hash: string) => new Uint8Array(Buffer.from(hash, 'base64')))
      assert.ok(
        verifyInclusion({ index, size, leaf_hash: leafHash(leaf), proof: hashes, root }),
        `leaf ${index}`,
      )
      assert.deepEqual(
        hashes,
        (await proofs.inclusionProof(index, size)).map((hash) => new Uint8Array(hash)),
      )
    }
    const records = lines.flatMap((line) => line.record ?? [])
    const expected = []
    for (const { aar_id } of records) expected.push(await published(service, aar_id))
    assert.deepEqual([records.length, records], [3, expected])
    assert.deepEqual(lines.at(-1), { end: true, entries: entries.length, records: 3 })
    assert.equal(lines.length, 2 + entries.length + 3)
    assert.doesNotMatch(text, /vat_root_|vat_sub_|vat_jti|root_jti/)
  })

  test('shows records as of the checkpoint, without later changes', async (t) => {
    const service = await aTestApp(t)
    const { jti, provenance_ref } = await aRoot(service)
    const ask = { vat_jti: jti, ...READ, spend_usd: 2, metadata: { asked: true } }
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await service.post('/v1/vat/authorize', ask)).body.aar_id)
    const [kept = '', replaced = '', rated = ''] = ids
    await service.post(`/v1/vat/aar/${rated}/complete`, { result: 'success', spend_usd: 1 })
    const before = []
    for (const id of ids) before.push(await published(service, id))
    const size = (await service.leafTexts()).length
    await service.post(`/v1/vat/aar/${kept}/complete`, {
      result: 'success',
      spend_usd: 3,
      result_hash: RESULT_HASH,
    })
    await service.post(`/v1/vat/aar/${replaced}/complete`, { result: 'error', metadata: { asked: false } })
    await service.post(`/v1/vat/aar/${rated}/feedback`, { rating: 'rejected', note: 'no' })
    await aRecord(service, jti)
    await aChild(service, jti, 'late')
    const lines = await packAt(size, service, provenance_ref)
    const [first, second, third] = before
    const { metadata: _, ...withoutMetadata } = second
    assert.deepEqual(
      lines.flatMap((line) => line.record ?? []),
      [first, withoutMetadata, third],
      'replaced metadata is gone, all else is as it was',
    )
    assert.deepEqual(lines.at(-1), { end: true, entries: size, records: 3 })
  })

  test('is refused when the snapshot and the checkpoint differ in size', async (t) => {
    const service = await aTestApp(t)
    const { provenance_ref } = await aRoot(service)
    const { reader } = service
    const facts = await reader.workflows.facts(provenance_ref)
    assert.ok(facts !== undefined)
    const pack = proofPack(snapshotOf(facts, 2, reader), checkpointAt(1), proofsOf(['x']), 0)
    await assert.rejects(pack.next())
  })
})

describe('export as OCSF', () => {
  test('has every event of the workflow as a row that matches its class, without token ids', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    const child = await aChild(service, root.jti, 'helper')
    await aRecord(service, child.jti)
    await service.post('/v1/vat/authorize', { vat_jti: root.jti, action: 'delete', resource: 'x:y' })
    await service.post('/v1/vat/revoke', { vat_jti: root.jti })
    const text = await exported(service, root.provenance_ref, 'ocsf')
    const rows: OcsfRow[] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    for (const row of rows) assertOcsf(row)
    assert.deepEqual(
      rows.map(({ type_uid }) => type_uid),
      [300301, 300301, 600302, 600304, 300404],
    )
    for (const { actor } of rows) {
      const { user, app_uid, session } = actor as Record<string, Record<string, string>>
      assert.equal(user?.uid, root.claims.svc_human_ref)
      assert.match(String(app_uid), /^agent:/)
      assert.match(String(session?.uid), /^sha256:/)
    }
    assert.equal(rows[3]?.status_code, 'action_not_in_scope')
    assert.ok(!text.includes(root.jti) && !text.includes(child.jti))
  })

  test('is also available for events, with the token ids that the caller may see', async (t) => {
    const service = await aTestApp(t)
    const root = await aRoot(service)
    await service.post('/v1/vat/authorize', { vat_jti: root.jti, action: 'delete', resource: 'x:y' })
    const { body } = await service.get('/v1/vat/events?format=ocsf')
    for (const row of body.data) assertOcsf(row)
    assert.deepEqual(
      body.data.map((row: OcsfRow) => [row.type_uid, row.status_code]),
      [
        [300301, undefined],
        [600304, 'action_not_in_scope'],
      ],
    )
    assert.equal(body.data[0].actor.session.uid, root.jti)
  })
})
