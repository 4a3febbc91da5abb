import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import {
  aLeaf,
  aLog,
  aSignatory,
  aWitness,
  type Files,
  ORIGIN,
  type TestLog,
} from '@deputize/testing/log/a-log.ts'
import { aPack, aReceipt, aWorkflowLog, packText, WORKFLOW } from '@deputize/testing/log/a-workflow-log.ts'
import { aTruth, BEFORE, LIES, NOW } from '@deputize/testing/log/lies.ts'
import { type ServedLog, serveLog } from '@deputize/testing/log/serve-log.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { type Run, runCommand } from './commands/run-deputy.ts'

const scope = { after }

interface VerifyRun extends Run {
  readonly json: Record<string, unknown>
}

async function run(args: readonly string[], env: Record<string, string> = {}): Promise<VerifyRun> {
  const ended = await runCommand(['verify', ...args], env)
  return { ...ended, json: args.includes('--json') && ended.stdout !== '' ? JSON.parse(ended.stdout) : {} }
}

/** A log served over HTTP, and a state directory for it. */
async function aService(log: TestLog): Promise<{ served: ServedLog; state: string; args: string[] }> {
  const served = await serveLog(scope, log.files)
  const state = join(temporaryDirectory(scope), 'state')
  return { served, state, args: [served.url, '--state', state] }
}

/** The URL of a server that was closed. */
async function aClosedAddress(): Promise<string> {
  const cleaning: (() => void | Promise<void>)[] = []
  const { url } = await serveLog({ after: (clean) => cleaning.push(clean) }, new Map())
  for (const clean of cleaning) await clean()
  return url
}

function stored(state: string): Record<string, string>[] {
  return readdirSync(state).map((name) => JSON.parse(readFileSync(join(state, name), 'utf8')))
}

describe('deputy verify on an honest log', async () => {
  const { log, before } = await aTruth()

  test('pins the key at first contact and explains how to compare it', async () => {
    const { state, args } = await aService(log)
    const { status, stdout, stderr } = await run(args)
    assert.equal(status, 0, stdout + stderr)
    assert.match(stdout, /The log log\.example\/deputy is sound\./)
    assert.match(stdout, /600, 600 of them new/)
    assert.match(stdout, /first contact/)
    assert.ok(stdout.includes(log.vkey))
    assert.equal(stderr, '', 'no progress bar without a terminal')
    const [memory] = stored(state)
    assert.equal(memory?.vkey, log.vkey)
    assert.equal(memory?.note, log.note)

    const again = await run(args)
    assert.equal(again.status, 0)
    assert.match(again.stdout, /0 of them new; 600 read/)
    assert.doesNotMatch(again.stdout, /first contact/)
  })

  test('reads only new entries with --quick', async () => {
    const { served, args } = await aService(before)
    assert.equal((await run(args)).status, 0)
    served.files = log.files
    served.requests.length = 0
    const { status, json } = await run([...args, '--quick', '--json'])
    assert.equal(status, 0)
    assert.deepEqual([json.entries_checked, json.newly_seen, json.size], [NOW - BEFORE, NOW - BEFORE, NOW])
    assert.ok(!served.requests.includes('tile/entries/000'))
  })

  test('prints JSON for programs', async () => {
    const { args, served } = await aService(log)
    const { status, json } = await run([...args, '--json', '--workflow', 'prov_3'])
    assert.equal(status, 0)
    assert.equal(json.outcome, 'sound')
    assert.equal(json.address, `${served.url}/`)
    assert.equal(json.first_contact, true)
    assert.deepEqual(json.counts, { 'action.recorded': NOW })
    assert.equal((json.indexes as number[]).length, Math.ceil((NOW - 3) / 7))
  })

  test('stores its state in the XDG directory', async () => {
    const { served } = await aService(log)
    const home = temporaryDirectory(scope)
    await run([served.url], { XDG_STATE_HOME: join(home, 'xdg') })
    assert.equal(readdirSync(join(home, 'xdg/deputy')).length, 1)
    await run([served.url], { HOME: home })
    assert.equal(readdirSync(join(home, '.local/state/deputy')).length, 1)
  })

  test('compares what other addresses have shown of the same log', async () => {
    const { served, state, args } = await aService(log)
    const mirror = await serveLog(scope, before.files)
    const late = [mirror.url, '--state', state]
    assert.equal((await run(args)).status, 0)
    assert.equal((await run(late)).status, 0, 'a mirror may be behind')
    assert.equal((await run([...args, '--quick'])).status, 0)
    served.interrupt = (_, response) => {
      response.writeHead(500).end()
      return true
    }
    const alone = await run(late)
    assert.equal(alone.status, 2)
    assert.match(alone.stderr, /is sound by itself, but .* has shown more entries of it/)
    const another = await serveLog(scope, (await aLog({ signatory: aSignatory(ORIGIN, 7) })).files)
    assert.equal((await run([another.url, '--state', state])).status, 0, 'another key is another log')
  })

  test('reads several files concurrently', async () => {
    const { served, args } = await aService(log)
    served.interrupt = (request, response) => {
      if (!request.url?.startsWith('/tile/')) return false
      const bytes = served.files.get(request.url.slice(1))
      // Long enough for a slow machine to ask for more meanwhile.
      setTimeout(() => response.writeHead(bytes === undefined ? 404 : 200).end(bytes), 1_000)
      return true
    }
    assert.equal((await run(args)).status, 0)
    assert.ok(served.most_at_once() >= 4, `${served.most_at_once()} at once`)
  })

  test('retries if a connection breaks or the service is busy', async () => {
    const { served, args } = await aService(log)
    let troubles = 0
    served.interrupt = (_request, response) => {
      troubles += 1
      if (troubles === 2) response.destroy()
      else if (troubles === 4) response.writeHead(503).end()
      else return false
      return true
    }
    assert.equal((await run(args)).status, 0)
    assert.ok(troubles > 4)
  })

  test('follows a redirect on the same host only', async () => {
    const { served, args } = await aService(log)
    served.interrupt = (request, response) => {
      if (request.url !== '/checkpoint') return false
      response.writeHead(302, { location: '/elsewhere' }).end()
      return true
    }
    served.files = new Map([...log.files, ['elsewhere', Buffer.from(log.note)]])
    assert.equal((await run(args)).status, 0)
    served.interrupt = (_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end()
      return true
    }
    const { status, stderr } = await run(args)
    assert.equal(status, 2)
    assert.match(stderr, /redirects to 127\.0\.0\.2:1/)
  })
})

describe('deputy verify on a dishonest log', async () => {
  const { log, before } = await aTruth()
  const { served, state, args } = await aService(before)
  await run(args)
  const memory = stored(state)[0]

  for (const { name, expect, tell } of LIES)
    test(`that ${name}: ${expect}`, async () => {
      served.files = await tell({ log, before })
      const { status, json } = await run([...args, '--json'])
      assert.equal(status, 1)
      assert.equal(json.outcome, 'fault')
      assert.equal(json.code, expect)
      assert.equal(typeof json.proof, /^log_/.test(expect) ? 'string' : 'undefined')
    })

  test('keeps its state unchanged and saves a proof of every fork', () => {
    const proofs = stored(state).filter(({ checkpoints }) => checkpoints !== undefined)
    assert.deepEqual(
      stored(state).filter(({ checkpoints }) => checkpoints === undefined),
      [memory],
    )
    assert.deepEqual(proofs.map(({ code }) => code).sort(), [
      'log_forked',
      'log_rewritten',
      'log_rewritten',
      'log_shrunk',
    ])
    for (const { checkpoints } of proofs) assert.equal(checkpoints?.[0], before.note)
  })

  test('that shows another history at another address', async () => {
    const fork = await aLog({
      leaves: log.leaves.map((own, nth) => (nth === 10 ? aLeaf(10, { forked: true }) : own)),
    })
    const shorter = await aLog({ leaves: fork.leaves.slice(0, BEFORE) })
    const cases: [string, TestLog, TestLog, string][] = [
      ['of the same size', log, fork, 'log_forked'],
      ['that is longer', before, fork, 'log_rewritten'],
      ['that is shorter', log, shorter, 'log_rewritten'],
    ]
    for (const [name, first, second, code] of cases) {
      const one = await aService(first)
      const other = await serveLog(scope, second.files)
      assert.equal((await run(one.args)).status, 0, name)
      const found = await run([other.url, '--state', one.state, '--json'])
      assert.deepEqual([found.status, found.json.code], [1, code], name)
      assert.equal(typeof found.json.proof, 'string', name)
    }
  })

  test('prints the fault in one sentence, with its code and the proof', async () => {
    const fork = LIES.find(({ expect }) => expect === 'log_forked')
    served.files = (await fork?.tell({ log, before })) ?? log.files
    const { status, stdout } = await run(args)
    assert.equal(status, 1)
    assert.match(
      stdout,
      /^NOT SOUND\. The log has signed two different trees of the same size\. The size is 400\.$/m,
    )
    assert.match(stdout, /code {3}log_forked/)
    assert.match(stdout, /log_forked-[0-9a-f]{16}\.json \(both checkpoints/)
  })

  test('reports a changed key or log name first', async () => {
    const publishes = async (signatory: ReturnType<typeof aSignatory>): Promise<Files> =>
      (await aLog({ leaves: before.leaves, signatory })).files
    served.files = await publishes(aSignatory(undefined, 2))
    assert.equal((await run([...args, '--json'])).json.code, 'key_changed')
    served.files = await publishes(aSignatory('other.example/log'))
    assert.equal((await run([...args, '--json'])).json.code, 'origin_changed')
  })
})

describe('deputy verify with keys and witnesses', async () => {
  const witness = aWitness('witness.example/one', 21)
  const other = aWitness('witness.example/two', 22)
  const log = await aLog({ size: 20, witnesses: [witness] })
  const keyOf = async (size: number, signatory: ReturnType<typeof aSignatory>) =>
    (await aLog({ size, signatory })).vkey
  const vkeyOf = async (signatory: ReturnType<typeof aSignatory>) => await keyOf(0, signatory)

  test('uses the given key', async () => {
    const { args } = await aService(log)
    const wrong = await run([...args, '--key', await vkeyOf(aSignatory(undefined, 2)), '--json'])
    assert.deepEqual([wrong.status, wrong.json.code], [1, 'key_changed'])
    const right = await run([...args, '--key', log.vkey, '--json'])
    assert.deepEqual([right.status, right.json.first_contact], [0, false])
    const later = await run([...args, '--key', await vkeyOf(aSignatory(undefined, 2))])
    assert.equal(later.status, 2)
    assert.match(later.stderr, /pins a different key than --key/)
  })

  test('needs no published key if one is given', async () => {
    const { served, args } = await aService(log)
    served.files = new Map([...log.files].filter(([path]) => !path.startsWith('.')))
    assert.equal((await run([...args, '--key', log.vkey])).status, 0)
  })

  test('counts witness signatures', async () => {
    const { args } = await aService(log)
    const witnesses = ['--witness', await vkeyOf(witness), '--witness', await vkeyOf(other)]
    const few = await run([...args, ...witnesses, '--json'])
    assert.deepEqual([few.status, few.json.code], [1, 'witnesses_too_few'])
    const enough = await run([...args, ...witnesses, '--quorum', '1'])
    assert.equal(enough.status, 0)
    assert.match(enough.stdout, /witness {4}witness\.example\/one at 2027-01-15/)
  })

  test('rejects a checkpoint whose last witness signature is too old', async () => {
    const stale = await aLog({ size: 20, witnesses: [witness], witnessed_at_s: 1_600_000_000 })
    const { args } = await aService(stale)
    const old = await run([...args, '--witness', await vkeyOf(witness), '--max-age', '3600', '--json'])
    assert.deepEqual([old.status, old.json.code], [1, 'checkpoint_stale'])
  })
})

describe('deputy verify on files', async () => {
  const workflow = await aWorkflowLog()
  const directory = temporaryDirectory(scope)
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  const pack = fileOf('pack.jsonl', packText(aPack(workflow)))
  const receipt = fileOf('receipt.json', JSON.stringify(aReceipt(workflow)))

  test('accepts a sound pack and receipt, and warns that no key was pinned', async () => {
    const first = await run([pack])
    assert.equal(first.status, 0)
    assert.match(first.stdout, /prov_trip: 11 entries, 5 records/)
    assert.match(first.stdout, /No key was pinned/)
    const second = await run([receipt, '--key', workflow.log.vkey])
    assert.equal(second.status, 0)
    assert.match(second.stdout, /aar_3: created at 11, completed at 17, rated at 26/)
    assert.doesNotMatch(second.stdout, /No key was pinned/)
  })

  test('finds faults in them', async () => {
    const cut = fileOf('cut.jsonl', packText(aPack(workflow).slice(0, -1)))
    const { status, json } = await run([cut, '--json'])
    assert.deepEqual([status, json.code], [1, 'pack_truncated'])
    const other = await run([
      receipt,
      '--json',
      '--workflow',
      'x',
      '--key',
      (await aLog({ size: 0, signatory: aSignatory(undefined, 2) })).vkey,
    ])
    assert.deepEqual([other.status, other.json.code], [1, 'key_changed'])
    const foreign = await run([pack, '--json', '--workflow', 'prov_other'])
    assert.deepEqual([foreign.status, foreign.json.code], [1, 'pack_of_another_workflow'])
  })

  test('removes control characters of a file from its output', async () => {
    const header = { ...aPack(workflow)[0], version: '\u001b[2J\u202e' }
    const hostile = fileOf('hostile.jsonl', packText([header]))
    const { status, stdout } = await run([hostile])
    assert.equal(status, 1)
    assert.match(stdout, /It is version \ufffd\[2J\ufffd\./)
  })

  test('compares a pack with its log and finds missing entries', async () => {
    const { served, state } = await aService(workflow.log)
    const against = ['--against', served.url, '--state', state]
    const whole = await run([pack, ...against])
    assert.equal(whole.status, 0, whole.stdout + whole.stderr)
    assert.match(whole.stdout, /The pack is complete\./)

    // Without the denial, which no record refers to: the pack alone cannot show that it is missing.
    const lines = aPack(workflow)
      .filter(({ index }) => index !== 14)
      .with(-1, { end: true, entries: 10, records: 5 })
    const partial = fileOf('partial.jsonl', packText(lines))
    assert.equal((await run([partial])).status, 0)
    const { status, json } = await run([partial, ...against, '--json'])
    assert.deepEqual([status, json.code], [1, 'pack_leaves_out'])
    assert.match(String(json.sentence), /entry 14/)
    assert.equal((await run([receipt, ...against])).status, 0)
  })

  test('detects a pack of a fork of its log', async () => {
    const fork = await aWorkflowLog({ size: 310 })
    const leaves = fork.log.leaves.with(
      0,
      fork.log.leaves[1]?.replace(/"at":"[^"]+"/, '"at":"2027-01-01T00:00:00.000Z"') ?? '',
    )
    const { served, state } = await aService(await aLog({ leaves }))
    const { status, json } = await run([pack, '--against', served.url, '--state', state, '--json'])
    assert.deepEqual([status, json.code], [1, 'log_rewritten'])
    assert.equal(typeof json.proof, 'string')
  })

  test('counts newer entries in the log', async () => {
    const longer = await aLog({
      leaves: [
        ...workflow.log.leaves,
        (workflow.log.leaves[2] ?? '').replace(/"at":"[^"]+"/, '"at":"2027-02-01T00:00:00.000Z"'),
      ],
    })
    const { served, state } = await aService(longer)
    const { status, stdout } = await run([pack, '--against', served.url, '--state', state])
    assert.equal(status, 0)
    assert.match(stdout, /1 newer entries of this workflow/)
    assert.ok(stdout.includes(WORKFLOW))
  })

  const closed = await aClosedAddress()
  const mistakes: [string, string[], RegExp][] = [
    ['a missing file', [join(directory, 'none.jsonl')], /none\.jsonl doesn't exist/],
    ['a file of another kind', [fileOf('other.txt', 'hello\n')], /neither a proof pack nor a receipt/],
    ['an empty file', [fileOf('empty', '')], /empty/],
    ['a directory', [directory], /cannot be read \(EISDIR\)/],
    ['an address without a scheme', ['localhost:8420'], /type the URL: https:\/\/localhost:8420/],
    [
      'an address without a scheme and port',
      ['deputy.example.com'],
      /type the URL: https:\/\/deputy\.example\.com/,
    ],
    ['another scheme', ['ftp://deputy.example.com'], /isn't an http or https URL/],
    ['a closed port', [closed], /127\.0\.0\.1:\d+ refused the connection\. Is the service running/],
    ['an unknown host', ['http://nowhere.invalid'], /was not found|cannot be read/],
    ['an invalid key', [pack, '--key', 'abc'], /--key must be the key of a log/],
    ['the key of a log as a witness', [pack, '--witness', workflow.log.vkey], /must be the key of a witness/],
    ['a quorum without witnesses', [pack, '--quorum', '1'], /only 0 witnesses/],
    ['an invalid quorum', [pack, '--quorum', 'all'], /whole number/],
    ['an age without witnesses', [pack, '--max-age', '5'], /needs --witness/],
    ['--against with an address', [closed, '--against', closed], /needs a file as the target/],
    ['--against without a scheme', [pack, '--against', 'x:1'], /URLs start with http/],
    ['--quick with a workflow', [closed, '--quick', '--workflow', 'x'], /--quick cannot be combined/],
    ['an unknown option', [pack, '--quik'], /unknown option/],
    ['no target', [], /missing required argument/],
  ]
  for (const [what, args, sentence] of mistakes)
    test(`exits with 2 on ${what} and names the problem`, async () => {
      const { status, stdout, stderr } = await run([
        ...args,
        ...(args.length > 0 ? ['--state', directory] : []),
      ])
      assert.equal(status, 2, stdout + stderr)
      assert.match(stderr, sentence)
      assert.equal(stdout, '')
    })

  test('exits with 2 if the service is not a Deputy or the state is damaged', async () => {
    const { served, state, args } = await aService(workflow.log)
    const files = served.files
    served.files = new Map()
    const stranger = await run(args)
    assert.equal(stranger.status, 2)
    assert.match(stranger.stderr, /publishes no log key/)
    served.files = files
    await run(args)
    const [name = ''] = readdirSync(state)
    writeFileSync(join(state, name), '{')
    const damaged = await run([...args, '--json'])
    assert.deepEqual([damaged.status, damaged.json.outcome], [2, 'unchecked'])
    assert.match(String(damaged.json.sentence), /damaged/)
  })
})
