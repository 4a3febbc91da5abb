import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { aProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { callerOf, runDeputy, withoutIds } from './run-deputy.ts'

const scope = { after }
const BOXES = { LANG: 'C.UTF-8' }

const WORKFLOW = `workflow prov_*
person sha256:* (L1)
└─ demo-planner  live
   │  vat_root_*
   │  read, summarise, buy, write, delegate on web:pages, shop:tickets, calenda…
   ├─ demo-researcher  revoked
   │  │  vat_sub_*
   │  │  read, summarise, delegate on web:pages
   │  ├─ summarise web:pages  success
   │  │     aar_*
   │  │     caused by aar_*
   │  └─ demo-reader  revoked
   │     │  vat_sub_*
   │     │  read on web:pages
   │     ├─ read web:pages  success
   │     │     aar_*
   │     └─ read web:pages  denied: token_revoked
   │           den_*
   ├─ demo-buyer  live
   │  │  vat_sub_*
   │  │  buy on shop:tickets
   │  ├─ buy shop:tickets  success · $4.00 · rated approved
   │  │     aar_*
   │  │     caused by aar_*
   │  ├─ buy shop:tickets  success · $1.00
   │  │     aar_*
   │  │     caused by aar_*
   │  └─ buy shop:tickets  denied: budget_exceeded
   │        den_*
   └─ demo-clerk  live
      │  vat_sub_*
      │  read, write on calendar:events
      ├─ write calendar:events  partial · rated flagged
      │     aar_*
      │     caused by aar_*
      ├─ delete calendar:events  denied: action_not_in_scope
      │     den_*
      └─ read calendar:events  pending
            aar_*
`

const TOKENS = `person sha256:* (L1)
\`- demo-planner  live, trust 0.40
   |  vat_root_*
   |  read, summarise, buy, write, delegate on web:pages, shop:tickets, calenda~
   |  6 actions, $5.00 of $20.00, $15.00 left
   \`- > demo-researcher  revoked, trust 0.36
      |  vat_sub_*
      |  read, summarise, delegate on web:pages
      |  2 actions, $0.00 of $20.00
      \`- demo-reader  revoked, trust 0.32
            vat_sub_*
            read on web:pages
            1 action, $0.00 of $20.00
`

describe('the result of a demo', async () => {
  const { url } = await aProgram(scope, temporaryDirectory(scope))
  const { words, json, run } = callerOf(url)
  const client = deputy({ url })
  const ids = await json(0, 'demo')

  test('has the IDs that the demo prints', async () => {
    const { revoked, over_budget, out_of_scope } = ids.denials
    const reasons = await Promise.all(
      [revoked, over_budget, out_of_scope].map(async (id) => (await client.getDenial({ id })).reason),
    )
    assert.deepEqual(reasons, ['token_revoked', 'budget_exceeded', 'action_not_in_scope'])
    const { state, used_by } = await client.getApproval({ id: ids.approvals.given })
    assert.deepEqual([state, used_by], ['approved', ids.records.ticket])
    assert.equal((await client.getApproval({ id: ids.approvals.pending })).state, 'pending')
    assert.equal((await client.getRecord({ id: ids.records.open })).state, 'pending')
    assert.equal((await client.getRecord({ id: ids.records.ticket })).rating, 'approved')
    const agents = (await client.listAgents()).data.map(({ agent_id }) => agent_id)
    assert.equal(agents.filter((agent_id) => agent_id.startsWith('agent:demo-')).length, 5)
    const { remaining_usd } = await client.getTokenBudget({ jti: ids.tokens.buyer })
    assert.equal(remaining_usd, 0)
  })

  test('is drawn exactly: the workflow with box characters, one of its tokens in ASCII', async () => {
    const workflow = await runDeputy(['show', ids.provenance_ref, '--url', url], BOXES)
    assert.equal(withoutIds(workflow.stdout), WORKFLOW)
    assert.equal(workflow.stderr, '', 'no progress without a terminal')
    assert.equal(withoutIds(await words(0, 'show', ids.tokens.researcher)), TOKENS)
    const widest = Math.max(...workflow.stdout.split('\n').map((line) => line.length))
    assert.ok(widest <= 80, `${widest} columns`)
    const { graph, denials } = await json(0, 'show', ids.provenance_ref)
    assert.deepEqual([graph.total_records, denials.length], [6, 3])
    assert.match(
      await words(0, 'show', ids.provenance_ref, '--limit=2'),
      /\nShowing the first 2 of 6 actions/,
    )
  })

  test('with --people includes people who vouch and are asked for approval', async () => {
    const { people, vouches, questions } = await json(0, 'demo', '--people')
    assert.equal(new Set(Object.values(people)).size, 3)
    assert.equal((await client.listVouches({})).data.length, vouches.length)
    for (const id of questions) assert.equal((await client.getApproval({ id })).state, 'pending')
    const { score } = await client.getVouchScore({ subject: 'agent:demo-buyer' })
    assert.ok(score > 0)
    const again = await json(0, 'demo', '--people')
    assert.deepEqual(again.vouches, vouches, 'the people vouch once, however often the demo runs')
    assert.equal((await client.getApproval({ id: again.questions[0] })).state, 'pending')
  })

  test('shows the causes and effects of an action', async () => {
    const shown = withoutIds(await words(0, 'show', ids.records.ticket))
    assert.match(
      shown,
      /\ncaused by\n\|- summarise web:pages {2}success\n\| {5}aar_\*\n`- read web:pages {2}success\n/,
    )
    assert.match(shown, /\ncaused\n\|- buy shop:tickets {2}success, \$1\.00\n/)
    assert.match(await words(0, 'show', ids.denials.revoked), /^reasons {3}token_revoked$/m)
    assert.equal((await json(0, 'show', ids.denials.revoked)).denial_id, ids.denials.revoked)
  })

  test('can be tailed, past and new events, for one workflow or agent', async () => {
    const { stdout } = await run(
      'tail',
      '--no-follow',
      '-n',
      '50',
      `--workflow=${ids.provenance_ref}`,
      '--json',
    )
    const types: string[] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    assert.equal(types[0], 'token.issued')
    assert.deepEqual(types.slice(-2), ['token.revoked', 'action.denied'])
    const since = await run('tail', '--no-follow', '--after=-1', `--workflow=${ids.provenance_ref}`, '--json')
    assert.equal(since.stdout, stdout, 'with --after, they are all printed too')
    for (const type of ['token.delegated', 'action.completed', 'action.rated'])
      assert.ok(types.includes(type), type)
    const tail = spawn(process.execPath, [CLI, 'tail', '-n', '50', '--agent=demo-clerk', '--url', url])
    scope.after(() => void tail.kill('SIGKILL'))
    const told = linesOf(tail.stdout.setEncoding('utf8'))
    assert.match(await told.next(/pending.*\n/), /demo-clerk read calendar:events/)
    await client
      .recordAction({ vat_jti: ids.tokens.buyer, action: 'fly', resource: 'shop:tickets', result: 'success' })
      .catch(() => undefined)
    await client.authorize({ vat_jti: ids.tokens.clerk, action: 'fly', resource: 'calendar:events' })
    assert.match(await told.next(/denied.*fly.*\n/), /demo-clerk fly calendar:events: action_not_in_scope/)
    await client.revokeToken({ vat_jti: ids.tokens.clerk })
    assert.match(
      await told.next(/revoked.*\n/),
      /revoked {4}token of demo-clerk for sha256:\w{12} and all tokens below it/,
    )
    assert.doesNotMatch(told.all(), /demo-buyer/)
  })

  test('can be piped to a reader that stops early', async () => {
    const script = `${process.execPath} ${CLI} tail -n 1 --url ${url} | head -n 1; echo "\${PIPESTATUS[*]}"`
    const child = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'] })
    let stderr = ''
    child.stderr.on('data', (text) => {
      stderr += text
    })
    const told = linesOf(child.stdout.setEncoding('utf8'))
    const ended = once(child, 'close')
    await told.next(/\d\d:\d\d:\d\d.*\n/)
    for (
      let at = 0;
      at < 3;
      at += 1 // a closed pipe is noticed only by the first write after it was closed
    )
      await client.authorize({ vat_jti: ids.tokens.buyer, action: 'fly', resource: 'shop:tickets' })
    await ended
    assert.match(told.all(), /\n0 0\n$/)
    assert.equal(stderr, '')
  })
})

/** Collects the text of a stream and waits for patterns in it. */
function linesOf(stream: NodeJS.ReadableStream) {
  let text = ''
  stream.on('data', (chunk) => {
    text += chunk
  })
  return {
    all: () => text,
    async next(pattern: RegExp): Promise<string> {
      for (;;) {
        const [found] = pattern.exec(text) ?? []
        if (found !== undefined) return found
        await once(stream, 'data')
      }
    },
  }
}
