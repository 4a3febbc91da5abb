import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { wholeExport } from '../../src/commands/people.ts'
import { callerOf, withoutIds } from './run-deputy.ts'

const scope = { after }
const ISSUE = [
  'issue',
  '--developer-email=dev@example.com',
  '--agent-id=bot',
  '--resources=calendar:events,email:inbox',
  '--actions=read,write',
  '--actions=delegate',
]

describe('the commands that call the service', async () => {
  const directory = temporaryDirectory(scope)
  const { url } = await aProgram(scope, directory)
  const { words, json, run } = callerOf(url)
  const client = deputy({ url })
  const root = await json(0, ...ISSUE, '--max-spend-usd=5', '--require-approval={"above_usd":2}')
  const jti = `--vat-jti=${root.jti}`

  test('issue reads lists, limits inside constraints, and nested JSON', async () => {
    const { svc_scope, svc_constraints } = root.claims
    assert.deepEqual(svc_scope.resources, ['calendar:events', 'email:inbox'])
    assert.deepEqual(svc_scope.actions, ['read', 'write', 'delegate'])
    assert.deepEqual(svc_constraints, { max_spend_usd: 5, require_approval: { above_usd: 2 } })
    const limits = {
      max_spend_usd_per: { day: 2, time_zone: 'Europe/Berlin' },
      arguments: { write: { '/n': { max: 3 } } },
    }
    const limited = await json(
      0,
      ...ISSUE,
      `--max-spend-usd-per=${JSON.stringify(limits.max_spend_usd_per)}`,
      `--arguments=${JSON.stringify(limits.arguments)}`,
    )
    assert.deepEqual(limited.claims.svc_constraints, limits)
    assert.equal(
      withoutIds(await words(0, ...ISSUE)),
      [
        'token     vat_root_*',
        'workflow  prov_*',
        'agent     bot',
        'scope     read, write, delegate on calendar:events, email:inbox',
        'trust     0.40',
        'expires   <time>',
        '',
      ].join('\n'),
    )
  })

  test('--json prints exactly the response of the service', async () => {
    const { jti: id } = root
    const { parent_jti } = await json(0, 'delegate', jti, '--agent-id=sub')
    assert.equal(parent_jti, id)
    const record = await json(0, 'record', 'read', 'calendar:events', 'success', jti)
    assert.deepEqual(
      await client.getRecord({ id: record.aar_id }),
      (await json(0, 'show', record.aar_id)).record,
    )
    assert.deepEqual(await json(0, 'agents', 'show', 'sub'), await client.getAgent({ agent_id: 'sub' }))
    assert.deepEqual(
      await json(0, 'tenants', 'show', 'default'),
      await client.getTenant({ tenant_id: 'default' }),
    )
  })

  test('delegate prints the scope of the sub-agent and names what exceeds the parent', async () => {
    assert.match(
      await words(0, 'delegate', jti, '--agent-id=sub', '--actions=read'),
      /^scope {5}read on calendar/m,
    )
    const wider = await words(4, 'delegate', jti, '--agent-id=sub', '--actions=fly')
    assert.match(wider, /beyond the parent: fly\n\(scope_widening, 403\)/)
    assert.equal((await json(4, 'delegate', jti, '--agent-id=sub', '--actions=fly')).code, 'scope_widening')
  })

  test('authorize, complete and cancel follow one action', async () => {
    const asked = await words(0, 'authorize', 'read', 'email:inbox', jti, '--spend-usd=0.5')
    assert.match(
      withoutIds(asked),
      /^allowed\nrecord {7}aar_\*\nworkflow {5}prov_\*\ncomplete by {2}<time>\n$/,
    )
    const [id = ''] = /aar_\w+/.exec(asked) ?? []
    const completed = await words(0, 'complete', id, 'success', '--spend-usd=0.25')
    assert.match(completed, /^state {5}completed, success\n.*\n.*\nspend {5}\$0\.25$/m)
    assert.match(completed, /^evidence {2}self reported$/m)
    assert.equal((await json(4, 'complete', id, 'failure')).code, 'record_closed')
    const { aar_id } = await json(0, 'authorize', 'read', 'email:inbox', jti)
    assert.equal((await json(0, 'cancel', aar_id)).state, 'cancelled')
    assert.match(await words(0, 'cancel', aar_id), /cancelled/)
  })

  test('complete says when an action cost more than it was authorized for', async () => {
    const { jti: limited } = await json(0, ...ISSUE, '--constraints={"max_spend_usd":1}')
    const { aar_id } = await json(
      0,
      'authorize',
      'read',
      'email:inbox',
      `--vat-jti=${limited}`,
      '--spend-usd=0.5',
    )
    assert.match(
      await words(0, 'complete', aar_id, 'success', '--spend-usd=2'),
      /^spend {5}\$2\.00, more than authorized, the token is suspended, over budget$/m,
    )
  })

  test('a denial exits with 1, in authorize and in record', async () => {
    const denied = await words(1, 'authorize', 'fly', 'email:inbox', jti)
    assert.equal(
      withoutIds(denied),
      [
        'denied',
        'reasons   action_not_in_scope',
        'denial    den_*',
        'workflow  prov_*',
        'The token does not allow this action. Ask the person who granted it for a token that does.',
        '',
      ].join('\n'),
    )
    const dear = await words(1, 'authorize', 'read', 'email:inbox', jti, '--spend-usd=50')
    assert.match(dear, /^reasons {3}budget_exceeded \(limit: max_spend_usd, remaining_usd: [\d.]+\)/m)
    assert.equal((await json(1, 'authorize', 'fly', 'email:inbox', jti, '--dry-run')).authorized, false)
    assert.match(
      await words(1, 'record', 'fly', 'email:inbox', 'success', jti),
      /reasons: action_not_in_scope/,
    )
    const { code, reasons } = await json(1, 'record', 'fly', 'email:inbox', 'success', jti)
    assert.deepEqual([code, reasons], ['not_allowed', ['action_not_in_scope']])
  })

  test('rate and revoke print the new state', async () => {
    const { jti: id } = await json(0, ...ISSUE)
    const { aar_id } = await json(0, 'record', 'read', 'email:inbox', 'success', `--vat-jti=${id}`)
    assert.match(await words(0, 'record', 'read', 'email:inbox', 'success', `--vat-jti=${id}`), /^recorded\n/)
    assert.match(await words(0, 'rate', aar_id, 'flagged', '--note=Too much'), /rated flagged at/)
    assert.match(
      withoutIds(await words(4, 'rate', aar_id, 'approved')),
      /^Already rated flagged at <time>\. A rating can't be changed\.\n\(rating_immutable, 409\)\n$/,
    )
    assert.match(await words(0, 'revoke', id, '--reason=Done'), /revoked; 1 token affected/)
    assert.match(await words(0, 'revoke', id), /was already revoked/)
    assert.equal((await json(0, 'revoke', id)).already_revoked, true)
  })

  test('stats counts what happened, and alerts adds, tries, lists and deletes rules', async () => {
    const condition = '--condition={"kind":"denials","more_than":0,"within_minutes":5}'
    const tried = await json(
      0,
      ...ISSUE.filter((option) => !option.startsWith('--agent-id')),
      '--agent-id=watched',
    )
    await json(1, 'authorize', 'sell', 'email:inbox', `--vat-jti=${tried.jti}`)
    const table = await words(0, 'stats', '--group-by=agent', '--bucket=all')
    assert.match(table, /^agent +allowed +denied +spend +asked$/m)
    assert.match(table, /^watched +0 +1 +\$0\.00 +0$/m)
    assert.match(await words(0, 'stats'), /^total +\d+ allowed, \d+ denied, /m)
    assert.match(
      await words(0, 'alerts', 'dry-run', condition, '--agent-id=watched'),
      /^would have fired 1 time since/,
    )
    const { rule_id } = await json(0, 'alerts', 'add', 'No denials', condition, '--effect=notify')
    assert.match(await words(0, 'alerts', 'rules'), /No denials +notify$/m)
    assert.equal(await words(0, 'alerts', 'delete', rule_id), `deleted ${rule_id}\n`)
    assert.match(await words(0, 'alerts', 'suggested'), /Many denials +notify$/m)
    assert.equal(await words(0, 'alerts', 'suggested'), 'every suggestion has a rule already\n')
    assert.match(await words(0, 'alerts'), /^(no alerts|fired +agent)/)
  })

  test('approvals lists requests, and approve and deny decide them', async () => {
    const ask = async (usd: number) => {
      const denied = await words(1, 'authorize', 'write', 'email:inbox', jti, `--spend-usd=${usd}`)
      assert.match(
        denied,
        /\nA person must approve this action first\.\nThen repeat the command with --approval-id\.\n$/,
      )
      return /^approval {2}(apr_\w+)$/m.exec(denied)?.[1] ?? ''
    }
    const [first, second] = [await ask(3), await ask(4)]
    const listed = await words(0, 'approvals', '--state=pending')
    const [titles = '', ...rows] = listed.trimEnd().split('\n')
    assert.match(titles, /^approval +state +agent +asks +spend +left after +ends in$/)
    assert.match(
      rows[0] ?? '',
      new RegExp(`^${second.slice(-8)} +pending +bot +write email:inbox +\\$4\\.00 +\\$0\\.75 +\\d+ min$`),
    )
    assert.equal(rows.length, 2)
    assert.ok(
      listed.split('\n').every((line) => line.length <= 80),
      listed,
    )
    assert.match(await words(0, 'approvals', 'approve', first.slice(-8), '--note=Go'), /^state {6}approved$/m)
    assert.equal((await json(0, 'approvals', 'deny', second)).state, 'denied')
    assert.equal((await json(4, 'approvals', 'deny', second)).code, 'approval_decided')
    assert.match(await words(0, 'show', first), /^note {7}Go$/m)
    assert.equal(
      (await json(0, 'authorize', 'write', 'email:inbox', jti, '--spend-usd=3', `--approval-id=${first}`))
        .authorized,
      true,
    )
  })

  test('approvals approve can grant later requests of the same kind, and grants are listed and ended', async () => {
    const { jti: id } = await json(0, ...ISSUE, '--require-approval={"above_usd":1}')
    const ask = (exit: number, usd: number) =>
      json(
        exit,
        'authorize',
        'write',
        'email:inbox',
        `--vat-jti=${id}`,
        `--spend-usd=${usd}`,
        '--metadata={"to":"a\u202eb"}',
      )
    const { approval_id } = await ask(1, 3.5)
    const shown = await words(0, 'approvals', 'show', approval_id)
    assert.match(shown, /^details {4}to: a⟨U\+202E⟩b$/m)
    const grant = ['--grant-minutes=30', '--grant-usd=10'] as const
    assert.match(
      await words(0, 'approvals', 'approve', approval_id, ...grant),
      /^grant {6}until .*\$10\.00$/m,
    )
    const { aar_id } = await ask(0, 4)
    assert.match(aar_id, /^aar_/)
    assert.match(await words(0, 'approvals', 'grants'), /^[0-9a-v]{8} +bot .*\$2\.50/m)
    assert.match(await words(0, 'approvals', 'end-grant', approval_id), /^ended/)
    assert.match(await words(0, 'approvals', 'end-grant', approval_id), /^was not in force/)
    assert.equal((await ask(1, 2)).reason, 'approval_required')
    const lone = await run('approvals', 'approve', approval_id, '--grant-usd=10')
    assert.match(lone.stderr, /--grant-usd needs --grant-minutes/)
  })

  test('agents are listed, suspended and resumed', async () => {
    await client.registerAgent({ agent_id: 'looked-at', display_name: 'A \u001b[31mred\u202e bot' })
    const listed = await words(0, 'agents')
    assert.match(listed, /^agent +state +actions +reputation +last action\n/)
    assert.match(listed, /^looked-at +active +0 +no record yet$/m)
    assert.match(await words(0, 'agents', 'show', 'looked-at'), /^name +A \?\[31mred\? bot$/m)
    assert.match(await words(0, 'agents', 'suspend', 'looked-at'), /^state +suspended \d/m)
    assert.equal((await json(0, 'agents', 'resume', 'looked-at')).suspended, false)
    const page = await json(0, 'agents', '--limit=1')
    assert.equal(page.data.length, 1)
    assert.match(await words(0, 'agents', '--limit=1'), /\nNext page: --cursor \S+\n$/)
    assert.match(await words(0, 'agents', 'show', 'bot'), /^reputation +0\.\d\d, .*from \d+ actions$/m)
    assert.equal((await json(4, 'agents', 'show', 'nobody')).code, 'agent_unknown')
  })

  test('tokens are listed, shown, renewed, suspended and resumed', async () => {
    const file = join(temporaryDirectory(scope), 'renewed.token')
    const { jti: id } = await json(0, ...ISSUE, '--agent-id=looked-after', '--max-spend-usd=5')
    const listed = await words(0, 'tokens', '--agent-id=looked-after')
    assert.match(listed, /^token +agent +status +ends in\n/)
    assert.match(listed, new RegExp(`^${id} +looked-after +live +\\d+ \\w+$`, 'm'))
    assert.match(
      withoutIds(await words(0, 'tokens', 'show', id)),
      /^status +live\nscope +read, write, delegate on .*\nactions +0 actions\nbudget +\$5\.00 of \$5\.00 left$/m,
    )
    assert.deepEqual(await json(0, 'tokens', 'show', id), await client.getToken({ jti: id }))
    assert.match(await words(0, 'tokens', 'suspend', id, '--reason=wrong trips'), /^vat_\w+\nsuspended\n$/)
    assert.match(await words(0, 'tokens', 'suspend', id), /\nsuspended, as before\n$/)
    assert.match(await words(0, 'tokens', 'show', id), /^suspended +\d.* UTC by \w+\nreason +wrong trips$/m)
    const suspended = await json(0, 'tokens', '--status=suspended', '--agent-id=looked-after')
    assert.deepEqual(
      suspended.data.map(({ jti }: { jti: string }) => jti),
      [id],
    )
    assert.match(await words(0, 'tokens', 'resume', id), /\nnot suspended\n$/)
    const renewed = await words(0, 'tokens', 'renew', id, '--expires-in=60', `--save-token=${file}`)
    const [renewed_jti = ''] = /vat_\w+/.exec(renewed) ?? []
    assert.equal((await client.getToken({ jti: renewed_jti })).renews_jti, id)
    assert.match(readFileSync(file, 'utf8'), /^eyJ/)
    assert.equal((await json(4, 'tokens', 'show', 'vat_root_none')).code, 'token_unknown')
  })

  test('reputation shows how well an agent has done', async () => {
    const { jti: id } = await json(0, ...ISSUE, '--agent-id=well-known')
    assert.match(
      await words(0, 'reputation', 'well-known'),
      /^execution +no record yet\nfeedback +not rated yet$/m,
    )
    const { aar_id } = await json(0, 'record', 'read', 'email:inbox', 'success', `--vat-jti=${id}`)
    await words(0, 'rate', aar_id, 'approved')
    const shown = await words(0, 'reputation', 'well-known')
    assert.match(shown, /^reputation +1\.00, from 1 action$/m)
    assert.match(shown, /^feedback +1\.00 \(0\.\d\d to 1\.00\)\nratings +1 approved, 0 flagged, 0 rejected$/m)
    assert.match(shown, /^gate score +0\.\d\d$/m)
    assert.deepEqual(
      await json(0, 'reputation', 'well-known'),
      await client.getReputation({ agent_id: 'well-known' }),
    )
    assert.equal((await json(4, 'reputation', 'nobody')).code, 'agent_unknown')
  })

  test('signing keys are listed, rotated and withdrawn', async () => {
    const { data } = await json(0, 'signing-keys')
    const [{ kid }] = data
    assert.match(await words(0, 'signing-keys'), new RegExp(`^${kid} +tokens +active +\\d`, 'm'))
    const { kid: next } = await json(0, 'signing-keys', 'rotate')
    const from = new Date().toISOString()
    const withdrawn = await words(0, 'signing-keys', 'withdraw', kid, `--from=${from}`, '--reason=stolen')
    assert.match(withdrawn, new RegExp(`^withdrawn +${kid}$`, 'm'))
    assert.match(withdrawn, new RegExp(`^signs now +${next}$`, 'm'))
    assert.match(await words(0, 'signing-keys'), new RegExp(`^${kid} +tokens +withdrawn +\\d`, 'm'))
    const unknown = await words(4, 'signing-keys', 'withdraw', 'nope', `--from=${from}`)
    assert.match(unknown, /\(signing_key_unknown, 404\)/)
  })

  test('keys are created, saved in a private file, listed, rotated and deleted', async () => {
    const file = join(temporaryDirectory(scope), 'auditor.key')
    const shown = await words(0, 'keys', 'create', '--name=for tests', '--role=auditor', `--save-key=${file}`)
    assert.doesNotMatch(shown, /\bdk_\S{20}/)
    assert.match(readFileSync(file, 'utf8'), /^dk_\S+\n$/)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.match(
      await words(2, 'keys', 'create', '--name=x', '--role=auditor', `--save-key=${file}`),
      /cannot be created/,
    )
    const { key_id } = await json(0, 'keys', 'create', '--name=second', '--role=developer')
    assert.match(await words(0, 'keys'), new RegExp(`^${key_id} +developer +default +second +\\d`, 'm'))
    assert.match(await words(0, 'keys', 'rotate', key_id, '--overlap-s=0'), /^key +dk_/m)
    assert.match(await words(4, 'keys', 'delete', 'AAAAAAAA'), /\(key_unknown, 404\)/)
    const again = await json(0, 'keys', 'create', '--name=third', '--role=developer')
    assert.equal(await words(0, 'keys', 'delete', again.key_id), `${again.key_id}\ndeleted\n`)
    const unmade = join(temporaryDirectory(scope), 'unmade.key')
    await words(
      4,
      'keys',
      'create',
      '--name=x',
      '--role=auditor',
      '--tenant-id=nobody',
      `--save-key=${unmade}`,
    )
    assert.equal(existsSync(unmade), false, 'a refused key leaves no file')
  })

  test('tenants are created, updated and listed', async () => {
    assert.match(await words(0, 'tenants', 'create', 'acme', '--name=Acme Ltd'), /^tenant +acme$/m)
    assert.equal((await json(4, 'tenants', 'create', 'acme')).code, 'tenant_exists')
    assert.equal((await json(0, 'tenants', 'update', 'acme', '--allow-bearer')).allow_bearer, true)
    assert.equal((await json(0, 'tenants', 'update', 'acme', '--no-allow-bearer')).allow_bearer, false)
    assert.equal((await json(0, 'tenants', 'update', 'acme', '--rate-limit', '600')).rate_limit, 600)
    assert.equal((await json(0, 'tenants', 'update', 'acme', '--rate-limit', 'null')).rate_limit, undefined)
    assert.match(await words(0, 'tenants'), /^acme +Acme Ltd +\d/m)
    assert.ok((await json(0, 'tenants', 'list')).data.length > 0)
  })

  test('invalid options and input exit with 2, whether the command or the service rejects them', async () => {
    const nonsense = [
      ['authorize', 'read'],
      ['authorize', 'read', 'email:inbox'],
      ['authorize', 'read', 'email:inbox', jti, '--spend-usd=much'],
      ['authorize', 'read', 'no resource', jti],
      ['rate', 'aar_x', 'splendid'],
      ['approvals', 'deny', 'zzzzzzzz'],
      [...ISSUE, '--require-approval=[]'],
      ['show', 'something'],
      ['show', 'vat_root_x', '--limit=none'],
      ['tail', '--lines=many'],
      ['agents', '--api-key-file=/nowhere/key'],
      ['agents', '--profile=/nowhere/profile.json'],
      ['completion', 'csh'],
    ]
    for (const args of nonsense) {
      const { status, stdout, stderr } = await run(...args)
      assert.deepEqual([status, stdout], [2, ''], args.join(' '))
      assert.notEqual(stderr, '')
    }
  })

  test('each invalid field is named once', async () => {
    assert.match(
      await words(2, 'authorize', 'read', 'no resource', jti, '--spend-usd=-1'),
      /^The input is invalid:\n {2}\/resource must be .*\n( {2}\/spend_usd .*\n)+\(invalid_request, 400\)\n$/,
    )
  })

  test('show prints what a child can still spend, which its parent may limit', async () => {
    const { jti: parent } = await client.issueL1({
      developer_email: 'dev@example.com',
      agent_id: 'bot',
      resources: ['email:inbox'],
      actions: ['read', 'delegate'],
      constraints: { max_spend_usd: 20 },
    })
    const below = { vat_jti: parent, resources: ['email:inbox'], actions: ['read'] }
    await client.delegate({ ...below, agent_id: 'child' })
    const { jti: poor } = await client.delegate({
      ...below,
      agent_id: 'poor',
      constraints: { max_spend_usd: 3 },
    })
    const read = { action: 'read', resource: 'email:inbox', result: 'success' } as const
    await client.recordAction({ ...read, vat_jti: parent, spend_usd: 5 })
    const drawn = await words(0, 'show', parent)
    assert.match(drawn, /1 action, \$5\.00 of \$20\.00, \$15\.00 left$/m)
    assert.match(drawn, /0 actions, \$0\.00 of \$20\.00, \$15\.00 left, limited by bot$/m)
    assert.match(await words(0, 'show', poor), /0 actions, \$0\.00 of \$3\.00, \$3\.00 left$/m)
  })

  test('people are listed page by page, and a script can erase one only with --yes', async () => {
    const issued = (developer_email: string) =>
      client.issueL1({ developer_email, agent_id: 'bot', resources: ['email:inbox'], actions: ['read'] })
    const [{ claims: gone }, { claims: kept }] = [
      await issued('gone@example.com'),
      await issued('b@example.com'),
    ]
    const [person, other] = [gone.svc_human_ref, kept.svc_human_ref]
    assert.equal(person.length, 71)
    const page = await words(0, 'people', '--limit=1')
    assert.match(page, new RegExp(`^person +levels +live tokens +waiting +state\n${other} +L1 +1 +0`))
    const cursor = /^Next page: --cursor (\S+)$/m.exec(page)?.[1]
    assert.match(await words(0, 'people', 'list', '--limit=1', `--cursor=${cursor}`), new RegExp(person))
    assert.deepEqual(await json(0, 'people', 'list'), await client.listHumans({}))
    assert.match(await words(2, 'people', 'erase', person), /^Erasing a person cannot be undone\. Pass --yes/)
    assert.equal((await client.getHuman({ human_ref: person })).erased_at, undefined)
    assert.equal(await words(0, 'people', 'erase', person, '--yes'), `${person}\nerased; 1 token revoked\n`)
    assert.match(await words(0, 'people', 'erase', person, '--yes'), /^sha256:\w+\nwas already erased at 20/)
    assert.match(await words(0, 'people'), new RegExp(`^${person} +L1 +0 +0 +erased$`, 'm'))
    assert.equal(
      (await json(4, 'people', 'erase', `sha256:${'0'.repeat(64)}`, '--yes')).code,
      'human_unknown',
    )
  })

  test('a person is exported to a new file that only its owner can read', async () => {
    const { claims } = await client.issueL1({
      developer_email: 'export@example.com',
      agent_id: 'bot',
      resources: ['email:inbox'],
      actions: ['read'],
    })
    const person = claims.svc_human_ref
    const file = join(directory, 'person.ndjson')
    const said = await words(0, 'people', 'export', person, `--out=${file}`)
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    assert.equal(JSON.parse(lines[0] ?? '').human.human_ref, person)
    assert.equal(said, `${file}  ${statSync(file).size} bytes, ${lines.length - 1} entries\n`)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    assert.match(await words(2, 'people', 'export', person, `--out=${file}`), /cannot be created/)
    const again = join(directory, 'again.ndjson')
    const saved = await json(0, 'people', 'export', person, `--out=${again}`)
    assert.deepEqual(saved, { file: again, bytes: statSync(again).size, entries: lines.length - 1 })
    const nobody = join(directory, 'nobody.ndjson')
    const refused = await json(4, 'people', 'export', `sha256:${'0'.repeat(64)}`, `--out=${nobody}`)
    assert.equal(refused.code, 'human_unknown')
    assert.equal(existsSync(nobody), false)
  })

  test('an export that ended too early is removed', async () => {
    const file = join(directory, 'cut.ndjson')
    const begun = '{"human":{"human_ref":"sha256:0"}}\n'
    const ended = '{"end":true,"entries":1}\n'
    for (const text of ['', begun, `${begun}${ended.slice(0, -1)}`, `${ended}${begun}`]) {
      writeFileSync(file, text)
      await assert.rejects(wholeExport({ file, bytes: text.length }), { code: 'unexpected_answer' })
      assert.equal(existsSync(file), false)
    }
    writeFileSync(file, begun + ended)
    assert.equal((await wholeExport({ file, bytes: (begun + ended).length })).entries, 1)
  })

  test('streams of signals are listed, shown, paused, enabled and deleted', async () => {
    assert.equal(await words(0, 'streams'), 'no streams\n')
    const { stream_id } = await client.createStream({
      aud: 'https://gateway.example',
      description: 'The gateway',
    })
    assert.match(
      await words(0, 'streams'),
      new RegExp(`^id +delivery +address +created by\n${stream_id} +poll +http\\S+ +local\\S*\n$`),
    )
    assert.deepEqual(await json(0, 'streams', 'list'), await client.readStreams())
    const shown = await words(0, 'streams', 'show', stream_id)
    assert.match(shown, /^delivery +poll\naddress +http\S+\/poll\naudience +https:\/\/gateway\.example$/m)
    assert.match(shown, /^events +session-revoked, token-claims-change$/m)
    assert.match(shown, /^about +The gateway$/m)
    assert.match(await words(2, 'streams', 'show'), /missing required argument 'stream_id'/)
    const state = (status: string) => `${stream_id}\n${status}\n`
    assert.equal(await words(0, 'streams', 'status', stream_id), state('enabled'))
    assert.equal(
      await words(0, 'streams', 'pause', stream_id, '--reason=It moves'),
      state('paused (It moves)'),
    )
    assert.deepEqual(
      await json(0, 'streams', 'status', stream_id),
      await client.getStreamStatus({ stream_id }),
    )
    assert.equal(await words(0, 'streams', 'enable', stream_id), state('enabled'))
    assert.equal(await words(0, 'streams', 'delete', stream_id), state('deleted'))
    assert.equal((await json(4, 'streams', 'show', stream_id)).code, 'stream_unknown')
  })

  test('an empty list says so in words', async () => {
    assert.equal(await words(0, 'trust', 'vouches'), 'no vouches\n')
  })

  test('a refusal by the service exits with 4', async () => {
    assert.match(await words(4, 'show', 'vat_root_of_nobody'), /\(token_unknown, 404\)/)
    assert.equal((await json(4, 'show', 'prov_of_nobody')).code, 'workflow_unknown')
  })

  test('options show the choices of the schema', async () => {
    const { stdout } = await run('rate', '--help')
    assert.match(stdout, /\(choices:\s+"approved", "flagged", "rejected"\)/)
    assert.match(stdout, /--note <text> +\w+/)
  })
})

describe('an unreachable service', () => {
  test('exits with 3 and names the URL', async () => {
    const { words, run } = callerOf('http://127.0.0.1:9')
    assert.match(await words(3, 'agents'), /could not be reached[\s\S]*Is it running at /)
    const { status, stdout, stderr } = await run('demo', '--json')
    assert.deepEqual([status, stdout], [3, ''])
    const { detail, ...facts } = JSON.parse(stderr)
    assert.deepEqual(facts, { code: 'unreachable', status: 0 })
    assert.match(detail, /could not be reached/)
  })
})
