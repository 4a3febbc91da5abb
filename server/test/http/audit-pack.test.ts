import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { AuthorityError, type DownloadAnswer, readVkey } from '@deputize/protocol'
import { LogFault, verifyAuditPack } from '@deputize/protocol/verifier'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { sourceOf, unzipped, withNewHashes, zipped } from '@deputize/testing/log/an-audit-archive.ts'
import { AUDIT_LIMITS } from '../../src/operations/workflows/audit/chosen-workflows.ts'
import { aDeveloper, anAuditor, callerOf } from '../some-callers.ts'
import { readCsv } from './read-csv.ts'

const READ = { action: 'read', resource: 'calendar:events' }
const WRITE = { ...READ, action: 'write' }

// biome-ignore lint/suspicious/noExplicitAny: tests read answers freely; a wrong shape fails the test
type Any = any

/** A workflow with every kind of decision: a person approves one action, denies another, and ends the workflow. */
async function aWorkflow(service: TestApp, agent_id: string): Promise<Any> {
  const constraints = { require_approval: { actions: ['write'] } }
  const request = anIssueRequest({ agent_id, actions: ['read', 'write', 'delegate'], constraints })
  const root = (await service.post('/v1/vat/issue/l1', request)).body
  const child = (
    await service.post('/v1/vat/delegate', { vat_jti: root.jti, agent_id: `${agent_id}-helper` })
  ).body
  const record = {
    vat_jti: root.jti,
    ...READ,
    result: 'success',
    spend_usd: 0.5,
    metadata: { note: 'secret word' },
  }
  await service.post('/v1/vat/record/action', record)
  await service.post('/v1/vat/authorize', { vat_jti: child.jti, ...READ, resource: 'mail:inbox' })
  const asked = (await service.post('/v1/vat/authorize', { vat_jti: root.jti, ...WRITE })).body
  await service.post(`/v1/vat/approvals/${asked.approval_id}/approve`, {})
  await service.post('/v1/vat/authorize', { vat_jti: root.jti, ...WRITE, approval_id: asked.approval_id })
  const again = (await service.post('/v1/vat/authorize', { vat_jti: root.jti, ...WRITE, spend_usd: 9 })).body
  await service.post(`/v1/vat/approvals/${again.approval_id}/deny`, { note: 'too much' })
  await service.post(`/v1/vat/tokens/${child.jti}/suspend`, {})
  await service.post(`/v1/vat/tokens/${child.jti}/resume`, {})
  await service.post('/v1/vat/revoke', { vat_jti: child.jti })
  return root
}

async function downloaded(service: TestApp, query = ''): Promise<Buffer> {
  const { statusCode, rawPayload } = await service.app.inject({ url: `/v1/vat/audit/pack${query}` })
  assert.equal(statusCode, 200, rawPayload.toString())
  return rawPayload
}

async function bytesOf({ chunks }: DownloadAnswer): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(Buffer.from(chunk))
  return Buffer.concat(parts)
}

async function faultOf(files: ReadonlyMap<string, string>, vkey: string): Promise<LogFault> {
  try {
    await verifyAuditPack(sourceOf(await zipped(files)), { log: readVkey(vkey) })
  } catch (error) {
    if (error instanceof LogFault) return error
    throw error
  }
  return assert.fail('the pack was accepted')
}

describe('an audit pack', async () => {
  const service = await aTestApp({ after })
  const early = await aWorkflow(service, 'planner')
  service.clock.advance(3_600_000)
  const middle = new Date(service.clock()).toISOString()
  service.clock.advance(1_000)
  const late = await aWorkflow(service, 'shopper')
  const archive = await downloaded(service)
  const files = await unzipped(archive)
  const { vkey } = (await service.get('/.well-known/deputy.json')).body.log
  const trust = { log: readVkey(vkey) }

  test('contains the proofs, the checkpoint, the decisions, the policies and the verdict, which verifies again', async () => {
    assert.deepEqual(
      [...files.keys()],
      [
        'README.txt',
        'checkpoint.txt',
        `workflows/${early.provenance_ref}.proof-pack.jsonl`,
        `workflows/${late.provenance_ref}.proof-pack.jsonl`,
        'decisions.csv',
        'policies.json',
        'policies.csv',
        'manifest.json',
        'verdict.json',
      ],
    )
    const { verdict, pinned, manifest } = await verifyAuditPack(sourceOf(archive), trust)
    assert.equal(pinned, true)
    assert.deepEqual(verdict, JSON.parse(files.get('verdict.json') ?? ''))
    assert.deepEqual(verdict.totals.decisions, {
      allowed: 4,
      denied: 2,
      approval_requested: 4,
      approval_endorsed: 0,
      approved: 2,
      approval_denied: 2,
      revoked: 2,
      suspended: 2,
      resumed: 2,
    })
    assert.deepEqual([verdict.totals.workflows, manifest.chosen], [2, {}])
    for (const [name, text] of files)
      assert.doesNotMatch(text, /vat_root_|vat_sub_|"jti"/, `${name} holds a token ID`)
    assert.match(files.get('README.txt') ?? '', /deputy verify <this archive> --key/)
  })

  test('lists every decision and who made it in one table', () => {
    const [head = [], ...rows] = readCsv(files.get('decisions.csv') ?? '')
    const told = rows.map((cells) => Object.fromEntries(head.map((name, at) => [name, cells[at]])))
    const approved = told.filter(({ decision }) => decision === 'approved')
    assert.deepEqual(
      approved.map(({ agent_id, action, resource, decided_by }) => [agent_id, action, resource, decided_by]),
      [
        ['agent:planner', 'write', 'calendar:events', 'human'],
        ['agent:shopper', 'write', 'calendar:events', 'human'],
      ],
    )
    const used = told.filter(({ decision, approval_id }) => decision === 'allowed' && approval_id !== '')
    assert.deepEqual(
      used.map(({ decided_by }) => decided_by),
      ['human', 'human'],
    )
    const denied = told.find(({ decision }) => decision === 'denied')
    assert.deepEqual([denied?.agent_id, denied?.reasons], ['agent:planner-helper', 'resource_not_in_scope'])
  })

  test('lists every token with every policy', () => {
    const [head = [], ...rows] = readCsv(files.get('policies.csv') ?? '')
    const { policies } = JSON.parse(files.get('policies.json') ?? '')
    assert.equal(rows.length, 4 * policies.length)
    const [policy, met, unmet] = ['policy', 'met', 'unmet'].map((name) => head.indexOf(name))
    const hipaa = rows.find((cells) => cells[policy ?? -1] === 'HIPAA')
    assert.equal(hipaa?.[met ?? -1], 'false')
    assert.match(hipaa?.[unmet ?? -1] ?? '', /45 CFR/)
  })

  test('has the same bytes if it is made again from the same log at the same time', async () => {
    assert.ok((await downloaded(service)).equals(archive))
  })

  test('is refused with the name of the file if any file is edited', async () => {
    const workflow = `workflows/${late.provenance_ref}.proof-pack.jsonl`
    const edits: Record<string, (text: string) => string> = {
      'README.txt': (text) => text.replace('AUDIT', 'HONEST'),
      'checkpoint.txt': (text) => text.replace(/\n\d+\n/, '\n1\n'),
      [workflow]: (text) => text.replaceAll('agent:shopper', 'agent:planner'),
      'decisions.csv': (text) => text.replace(',denied,', ',allowed,'),
      'policies.json': (text) => text.replace('"title": "', '"title": "Certified '),
      'policies.csv': (text) => text.replace('false,false', 'true,true'),
      'manifest.json': (text) => text.replace('"chosen": {}', '"chosen": { "agent_id": ["shopper"] }'),
      'verdict.json': (text) => text.replace('"denied": 2', '"denied": 0'),
    }
    for (const [name, edit] of Object.entries(edits)) {
      const text = files.get(name) ?? ''
      assert.notEqual(edit(text), text, name)
      const fault = await faultOf(new Map([...files, [name, edit(text)]]), vkey)
      if (name !== 'checkpoint.txt') assert.ok(fault.message.includes(name), `${name}: ${fault.message}`)
      else assert.equal(fault.fault, 'signature_wrong')
    }
  })

  test('is refused even if the hashes of an edited file are recomputed', async () => {
    const edited = (name: string, edit: (text: string) => string) =>
      faultOf(withNewHashes(new Map([...files, [name, edit(files.get(name) ?? '')]])), vkey)
    const decision = await edited('decisions.csv', (text) => text.replace(',denied,', ',allowed,'))
    assert.deepEqual(
      [decision.fault, decision.message.includes('decisions.csv, line ')],
      ['audit_decisions_differ', true],
    )
    const dropped = await edited('decisions.csv', (text) => text.split('\r\n').toSpliced(3, 1).join('\r\n'))
    assert.equal(dropped.fault, 'audit_decisions_differ')
    const added = await edited('decisions.csv', (text) => `${text}x\r\n`)
    assert.match(added.message, /has no log entry/)
    const policy = await edited('policies.csv', (text) => text.replace('agent:planner', 'agent:shopper'))
    assert.equal(policy.fault, 'audit_policies_differ')
    const record = await edited(`workflows/${early.provenance_ref}.proof-pack.jsonl`, (text) =>
      text.replace('"spend_usd":0.5', '"spend_usd":0.4'),
    )
    assert.ok(['proof_wrong', 'entry_wrong', 'record_untold'].includes(record.fault), record.fault)
  })

  test('is refused if a file is missing, added or out of order, or the download was cut off', async () => {
    const without = new Map(files)
    without.delete('policies.csv')
    assert.deepEqual((await faultOf(without, vkey)).fault, 'audit_file_missing')
    assert.deepEqual((await faultOf(new Map([...files, ['more.txt', 'x']]), vkey)).fault, 'audit_file_extra')
    assert.deepEqual((await faultOf(new Map([...files].reverse()), vkey)).fault, 'audit_malformed')
    for (const part of [
      archive.subarray(0, -30),
      archive.subarray(5),
      Buffer.concat([archive, Buffer.from('x')]),
    ])
      await assert.rejects(verifyAuditPack(sourceOf(part), trust), { fault: 'audit_malformed' })
    const other = new Map([...files].filter(([name]) => !name.includes(early.provenance_ref)))
    assert.equal((await faultOf(other, vkey)).fault, 'audit_file_missing')
  })

  test('is refused if its log or its key is not the pinned one', async (t) => {
    const stranger = await aTestApp(t)
    const foreign = (await stranger.get('/.well-known/deputy.json')).body.log.vkey
    assert.match((await faultOf(files, foreign)).fault, /origin_changed|key_changed/)
  })

  test('covers the selected workflows, agents and times', async () => {
    const chosenIn = async (query: string) => {
      const { workflows } = JSON.parse(
        (await unzipped(await downloaded(service, query))).get('manifest.json') ?? '',
      )
      const preview = (await service.get(`/v1/vat/audit/preview${query}`)).body
      assert.deepEqual([preview.workflows, preview.fits], [workflows.length, true])
      return workflows
    }
    assert.deepEqual(await chosenIn(`?workflow=${late.provenance_ref}`), [late.provenance_ref])
    assert.deepEqual(await chosenIn('?agent_id=planner'), [early.provenance_ref])
    assert.deepEqual(await chosenIn('?agent_id=planner&agent_id=shopper-helper'), [
      early.provenance_ref,
      late.provenance_ref,
    ])
    assert.deepEqual(await chosenIn(`?from=${middle}`), [late.provenance_ref])
    assert.deepEqual(await chosenIn(`?to=${middle}`), [early.provenance_ref])
  })

  test('includes a workflow that began earlier and only has a denial in the selected time', async (t) => {
    const other = await aTestApp(t)
    const { jti, provenance_ref } = (
      await other.post('/v1/vat/issue/l1', anIssueRequest({ expires_in: 7200 }))
    ).body
    other.clock.advance(60_000)
    const from = new Date(other.clock()).toISOString()
    await other.post('/v1/vat/authorize', { vat_jti: jti, ...READ, resource: 'mail:inbox' })
    const counts = (await other.get(`/v1/vat/audit/preview?from=${from}`)).body
    assert.deepEqual([counts.workflows, counts.denials, counts.records, counts.tokens], [1, 1, 0, 1])
    const pack = await downloaded(other, `?from=${from}`)
    assert.deepEqual((await verifyAuditPack(sourceOf(pack), {})).manifest.workflows, [provenance_ref])
  })

  test('includes a workflow that began earlier for the agent that acted in the selected time, not for others', async (t) => {
    const other = await aTestApp(t)
    const { provenance_ref } = await aWorkflow(other, 'planner')
    const { jti } = (await other.get(`/v1/vat/tokens?provenance_ref=${provenance_ref}&agent_id=planner`)).body
      .data[0]
    other.clock.advance(60_000)
    const from = new Date(other.clock()).toISOString()
    await other.post('/v1/vat/authorize', { vat_jti: jti, ...READ })
    const chosen = async (agent_id: string) =>
      (await other.get(`/v1/vat/audit/preview?from=${from}&agent_id=${agent_id}`)).body.workflows
    assert.deepEqual([await chosen('planner'), await chosen('planner-helper')], [1, 0])
  })

  test('is refused if nothing matches, if filters conflict, and while another pack is being made', async () => {
    const codeOf = async (query: string) => (await service.get(`/v1/vat/audit/pack${query}`)).body.code
    assert.equal(await codeOf('?agent_id=nobody'), 'audit_pack_empty')
    assert.equal(await codeOf('?workflow=prov_unknown'), 'workflow_unknown')
    assert.equal(await codeOf(`?workflow=${late.provenance_ref}&agent_id=shopper`), 'invalid_request')
    const empty = (await service.get('/v1/vat/audit/preview?agent_id=nobody')).body
    assert.deepEqual([empty.fits, empty.workflows], [false, 0])
    const call = callerOf(service, anAuditor('default'))
    const first = await call('exportAuditPack', { query: {} })
    const chunks = first.chunks[Symbol.asyncIterator]()
    await chunks.next()
    const isBusy = (error: unknown) => error instanceof AuthorityError && error.code === 'audit_pack_busy'
    await assert.rejects(bytesOf(await call('exportAuditPack', { query: {} })), isBusy)
    await chunks.return?.()
    await bytesOf(await call('exportAuditPack', { query: {} }))
  })

  test('is refused if it would be too large, which the preview reports', async (t) => {
    const other = await aTestApp(t, { rate_limit: 100_000 })
    for (let made = 0; made <= AUDIT_LIMITS.workflows; made += 91)
      await Promise.all(
        Array.from({ length: 91 }, () =>
          other.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'busy' })),
        ),
      )
    assert.equal((await other.get('/v1/vat/audit/pack')).body.code, 'audit_pack_too_large')
    const { fits, is_at_least } = (await other.get('/v1/vat/audit/preview')).body
    assert.deepEqual([fits, is_at_least], [false, true])
  })

  test('contains nothing of another tenant, and nothing that was erased', async (t) => {
    const other = await aTestApp(t)
    const { jti } = await callerOf(other, aDeveloper('acme'))('issueL1', {
      body: anIssueRequest({ agent_id: 'theirs' }) as Any,
    })
    await callerOf(other, aDeveloper('acme'))('recordAction', {
      body: { vat_jti: jti, ...READ, result: 'success', metadata: { word: 'confidential' } },
    })
    const ours = (await other.post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'ours' }))).body
    await other.post('/v1/vat/record/action', {
      vat_jti: ours.jti,
      ...READ,
      result: 'success',
      metadata: { word: 'forget me' },
    })
    const texts = async (caller: Parameters<typeof callerOf>[1]) => {
      const pack = await bytesOf(await callerOf(other, caller)('exportAuditPack', { query: {} }))
      await verifyAuditPack(sourceOf(pack), {})
      return [...(await unzipped(pack)).values()].join('\n')
    }
    const acmes = await texts(anAuditor('acme'))
    assert.match(acmes, /confidential/)
    assert.ok(!/agent:ours|forget me/.test(acmes))
    assert.match(await texts(anAuditor('default')), /forget me/)
    const { svc_human_ref } = ours.claims
    assert.equal((await other.delete(`/v1/vat/humans/${encodeURIComponent(svc_human_ref)}`)).status, 200)
    const erased = await texts(anAuditor('default'))
    assert.ok(!/forget me|confidential|agent:theirs/.test(erased))
    assert.match(erased, /"erased":true/)
  })
})
