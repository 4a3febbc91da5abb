import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { aDatabase } from '@deputize/testing/a-database.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { blocksOf, runScript, scriptOf } from '@deputize/testing/page-script.ts'
import { aProgram, startProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { readWitnesses } from '../../server/src/log/witnesses.ts'
import { assertAnswers } from './answers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEPUTY = `${process.execPath} ${CLI}`

/** Commands of a guide, with this repository's command and the address of a test's own service. */
function adapted(script: string, url: string): string {
  return script.replaceAll('npx deputy', DEPUTY).replaceAll('http://127.0.0.1:8420', url)
}

interface GuideOptions {
  readonly url: string
  readonly cwd?: string
  /** Runs in the same shell, before the blocks of the guide. */
  readonly first?: string
  /** What else a test replaces. */
  readonly change?: (script: string) => string
}

/** Runs every bash block of a guide in one shell and returns what they print. Fails if a command does. */
async function runGuide(
  name: string,
  { url, cwd, first = '', change = (script) => script }: GuideOptions,
): Promise<string> {
  const script = change(adapted(scriptOf(`docs/guides/${name}`), url))
  const { code, output } = await runScript(`${first}\n${script}`, cwd)
  assert.equal(code, 0, output)
  return output
}

describe('the documentation', async () => {
  const scope = { after }
  const directory = temporaryDirectory(scope)
  const program = await startProgram(directory)
  after(() => program.stop())

  for (const [page, answers] of [
    ['README.md', 5],
    ['docs/guides/actions.md', 10],
  ] as const)
    test(`${page} shows the answers that its calls print`, async (t) => {
      const url = new URL(page, new URL('../../', import.meta.url))
      assert.equal(await assertAnswers(url, program.url, temporaryDirectory(t)), answers)
    })

  test('keyed-mode.md: every block runs and prints what the guide says', async (context) => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const { output: printed } = await aProgram(context, temporaryDirectory(context), {
      PORT: String(port),
      DEPUTY_ACCESS: 'keyed',
    })
    const [setup = ''] = /dsu_[\w-]+/.exec(printed()) ?? []
    await sleep(6_000) // proofs in the first seconds need a nonce
    const output = await runGuide('keyed-mode.md', {
      url,
      cwd: temporaryDirectory(context),
      first: `SETUP=${setup}`,
    })
    assert.match(output, /^dk_/m)
    assert.match(output, /"tenant_id":"acme"/)
    assert.match(output, /"role":"developer"/)
    assert.match(output, /aar_\w{36}/)
    const codes = [...output.matchAll(/"code":"(\w+)"/g)].map(([, one]) => one)
    assert.deepEqual(codes, ['role_not_allowed', 'not_yours', 'credential_required', 'record_unknown'])
  })

  test('external-verification.md: every block runs and prints what the guide says', async (context) => {
    const directory = temporaryDirectory(context)
    const [, file = ''] =
      /^```json\n(\{ "providers"[\s\S]*?)^```$/m.exec(read('docs/guides/external-verification.md')) ?? []
    writeFileSync(join(directory, 'idv.json'), file)
    const { url, output: printed } = await aProgram(context, join(directory, 'data'), {
      DEPUTY_IDV_FILE: join(directory, 'idv.json'),
      DEPUTY_L3_PASSKEY: 'optional',
    })
    assert.match(printed(), /sandbox \(L2, SANDBOX: nobody is verified\)/)
    const output = await runGuide('external-verification.md', { url })
    assert.equal(output, 'pass\nL2\nsandbox\nrevoked\n')
  })

  test('approve-from-your-phone.md: every block runs, and the message says what the guide shows', async (context) => {
    const { url } = await aProgram(context, temporaryDirectory(context), {})
    const port = String(await freePort())
    const output = await runGuide('approve-from-your-phone.md', {
      url,
      cwd: temporaryDirectory(context),
      change: (script) => script.replaceAll('9000', port),
    })
    assert.match(output, /^chn_\w{36}\napproval_required\n/)
    const [, shown = ''] =
      /^```text\n(shopping-bot[\s\S]*?)Answer by: /m.exec(read('docs/guides/approve-from-your-phone.md')) ??
      []
    assert.ok(shown.length > 0 && output.includes(shown), output)
    assert.match(output, /Answer by: \w{3},? \d+ \w{3}.*UTC/)
  })

  test('delegate-limit-revoke.md: every block runs and prints what the guide says', async () => {
    const output = await runGuide('delegate-limit-revoke.md', { url: program.url })
    assert.match(output, /^vat_sub_/m)
    assert.match(output, /"code":"scope_widening".*"widening":\["files:tax","max_spend_usd"\]/)
    assert.match(output, /"allowed":true/)
    assert.match(output, /"recorded":true/)
    assert.match(output, /"authorized":false.*"reasons":\["budget_exceeded"\]/)
    assert.match(output, /"spent_usd":1.5.*"remaining_usd":8.5/)
    assert.match(output, /"reasons":\["period_budget_exceeded"\],"details":\[.*"period":"day","resets_at":"/)
    assert.match(output, /"periods":\[.*"period":"day","limit_usd":2,"spent_usd":1.5/)
    assert.match(output, /"path":"\/to","rule":"matches"\},.*"path":"\/priority","rule":"required"/)
    assert.match(output, /"state":"approved"/)
    assert.match(output, /"authorized":true/)
    assert.match(output, /"code":"policy_unmet"/)
    assert.match(output, /"suspended":true.*"suspended":false/s)
    assert.match(output, /"live_tokens":5/)
    assert.match(output, /"revoked":true.*"revoked_count":5/)
    assert.match(output, /"authorized":false.*"reasons":\["token_revoked"\]/)
  })

  test('witness.md: the command starts a witness, and every block runs', async (t) => {
    const page = readFileSync(join(ROOT, 'docs/guides/witness.md'), 'utf8')
    const [, command = ''] = /^```sh\n(npx deputy witness [\s\S]*?)^```$/m.exec(page) ?? []
    const start = command
      .replace('npx deputy', `exec ${DEPUTY}`)
      .replace('./witness', temporaryDirectory(t))
      .replace('8421', '0')
    const witness = await aProgram(t, '/nowhere', {}, ['bash', '-c', start])
    const output = await runGuide('witness.md', {
      url: program.url,
      change: (script) => script.replaceAll('http://127.0.0.1:8421', witness.url),
    })
    assert.match(output, /^log {3}authority\.example\/log\+.*\nsize {2}no checkpoint yet$/m)
    assert.match(output, /This witness has not cosigned a checkpoint of that log\.\nstatus 404/)
    assert.match(output, /This witness does not watch that log\.\nstatus 404/)
    const [, setting = ''] = /^DEPUTY_WITNESSES=(.*)$/m.exec(output) ?? []
    const { witnesses, problems } = readWitnesses(setting)
    assert.deepEqual([problems, witnesses.map(({ url }) => url)], [[], [witness.url]])
    assert.equal(await witness.stop(), 0)
  })

  test('check-us.md: every command verifies what the guide says', async (t) => {
    const output = await runGuide('check-us.md', {
      url: program.url,
      cwd: temporaryDirectory(t),
      change: (script) => script.replaceAll('./data', directory),
    })
    assert.match(output, /^deputy\/\w+\+[0-9a-f]{8}\+\S+$/m)
    assert.match(output, /"rating":"approved"/)
    assert.match(output, /exit code 1/)
    assert.match(output, /^entry \d+ is in the log of \d+: action\.recorded$/m)
    assert.match(output, /^entry \d+ is in the log of \d+: action\.rated$/m)
  })

  test('audit.md: the pack is made, verified and compared with the log', async (t) => {
    const script = scriptOf('docs/guides/audit.md')
      .replaceAll('http://127.0.0.1:8420', program.url)
      .replaceAll('npx deputy', `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
    const { code, output } = await runScript(script, temporaryDirectory(t))
    assert.equal(code, 0, output)
    assert.match(output, /^actions +2$/m)
    assert.match(output, /^audit\.zip {2}\d+ bytes$/m)
    const page = readFileSync(join(ROOT, 'docs/guides/audit.md'), 'utf8')
    const [, shown = ''] = /^```text\n([\s\S]*? approved\n)/m.exec(page) ?? []
    assert.ok(output.includes(shown), output)
    assert.match(output, /The pack leaves out no entry of its workflows\./)
  })

  test('runbooks.md: every command runs', async (t) => {
    const { status } = await fetch(`${program.url}/v1/vat/issue/l1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(anIssueRequest({ agent_id: 'runaway-bot' })),
    })
    assert.equal(status, 200)
    const output = await runGuide('runbooks.md', {
      url: program.url,
      cwd: temporaryDirectory(t),
      first: `export DEPUTY_URL=${program.url}`,
      change: (script) => script.replaceAll('./data', directory),
    })
    assert.match(output, /^Stopped: 1 token revoked\. runaway-bot is suspended/m)
    assert.match(output, /"ready":true,"reasons":\[\]/)
    assert.match(output, /tokens +active/)
  })

  test('backup.md: every block runs and prints what the guide says', async (t) => {
    const here = temporaryDirectory(t)
    const lived = await aProgram(t, join(here, 'data'))
    const { status } = await fetch(`${lived.url}/v1/vat/issue/l1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(anIssueRequest()),
    })
    assert.equal(status, 200)
    await eventually('the log is signed', () => existsSync(join(here, 'data/checkpoint')))
    const script = scriptOf('docs/guides/backup.md')
      .replaceAll('npx deputy', `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
      .replaceAll('8429', String(await freePort()))
    const { code, output } = await runScript(script, here)
    assert.equal(code, 0, output)
    assert.match(output, /^Backed up to .*monday\.backup: \d+ log entr[\s\S]*^Verified: /m)
    assert.match(output, /^A NEW LOG begins with the same entries: deputy\/\w+\/restored\/1$/m)
    assert.match(output, /^Sound: all data follows from the log\.$/m)
    assert.match(output, /^The log deputy\/\w+ continues/m)
    assert.match(output, /"sound":true[\s\S]*ready/)
  })

  test('vouching.md: every block runs and prints what the guide says', async (t) => {
    const output = await runGuide('vouching.md', {
      url: program.url,
      cwd: temporaryDirectory(t),
      first: `export DEPUTY_URL=${program.url}`,
    })
    assert.match(output, /score +0\.000000[\s\S]*No vouch of a verified person reaches it/)
    assert.match(output, /score +0\.285714\nflow +0\.400000\nvouches +2\nanchors +1\n/)
    assert.match(output, /Limited by\n {2}0\.400000 {2}vouch vch_/)
    assert.match(output, /"flow":0\.8,/)
    assert.match(output, /^travel-bot +0\.285714 +0\.400000$/m)
    assert.match(output, /score +agent:travel-bot: 0\.285714 \(flow 0\.4\), equal to that of the service/)
  })

  test('alerts.md: every block runs and prints what the guide says', async (t) => {
    const output = await runGuide('alerts.md', {
      url: program.url,
      cwd: temporaryDirectory(t),
      first: `export DEPUTY_URL=${program.url}`,
    })
    assert.match(output, /^alr_\w+ +Many denials +notify$/m)
    assert.match(output, /^would have fired (1 time|2 times) since /m)
    assert.match(output, /curious-bot +[45] denials in 5 minutes; usual is/m)
    assert.match(output, /^alr_\w+ +Keeps trying +suspend$/m)
    assert.match(output, /action_not_in_scope/)
    assert.match(output, /delete shop:orders +0 +5 +\$0\.00 +0$/m)
  })

  test('siem.md: every block runs and prints what the guide says', async (t) => {
    const output = await runGuide('siem.md', { url: program.url, cwd: temporaryDirectory(t) })
    const [, shown = ''] = /^```text\n([\s\S]*?)^```$/m.exec(read('docs/guides/siem.md')) ?? []
    assert.equal(output, shown)
  })

  test('webhooks.md: the blocks run, and the receiver prints the events', async (context) => {
    const port = await freePort()
    const sender = await aProgram(context, temporaryDirectory(context), {
      DEPUTY_OUTBOUND_ALLOW: `127.0.0.1:${port}`,
    })
    const ownPort = (text: string) => adapted(text, sender.url).replaceAll('9000', String(port))
    const [, receiver = ''] = /^```js\n([\s\S]*?)^```$/m.exec(read('docs/guides/webhooks.md')) ?? []
    // Below the repository, so that the receiver finds the SDK.
    const cache = join(ROOT, 'node_modules/.cache')
    mkdirSync(cache, { recursive: true })
    const directory = mkdtempSync(join(cache, 'guide-'))
    context.after(() => rmSync(directory, { recursive: true }))
    writeFileSync(join(directory, 'receiver.mjs'), ownPort(receiver))
    const [create = '', ...others] = blocksOf('docs/guides/webhooks.md').map(ownPort)
    const start = `SECRET=$SECRET node receiver.mjs > printed 2>&1 &
      trap "kill $!" EXIT
      until (echo > /dev/tcp/127.0.0.1/${port}) 2> /dev/null; do sleep 0.1; done`
    const wait = 'until grep -q token.issued printed; do sleep 0.1; done; cat printed'
    const { code, output } = await runScript([create, start, ...others, wait].join('\n'), directory)
    assert.equal(code, 0, output)
    assert.match(output, /"delivered":true/)
    assert.match(output, /"state":"delivered"/)
    assert.match(output, /webhook\.test\ntoken\.issued\n/)
  })

  test('shared-signals.md: every block runs and prints what the guide says', async (t) => {
    const output = await runGuide('shared-signals.md', { url: program.url, cwd: temporaryDirectory(t) })
    assert.match(output, /"configuration_endpoint":/)
    assert.match(output, /event-type\/session-revoked/)
    assert.match(output, /\{"sets":\{\}\}$/)
  })

  test('cli.md: every block runs and prints what the guide says', async (t) => {
    const profile = join(temporaryDirectory(t), 'deputy')
    mkdirSync(profile)
    writeFileSync(join(profile, 'profile.json'), JSON.stringify({ url: program.url }))
    const output = await runGuide('cli.md', {
      url: program.url,
      first: `export XDG_CONFIG_HOME=${dirname(profile)}`,
    })
    assert.match(output, /^demo-buyer +active +2 /m)
    assert.match(output, /^\w{8} {2}pending {2}demo-buyer {2}buy shop:souvenirs/m)
    assert.match(output, /^allowed\nrecord +aar_/m)
    assert.match(output, /trip-bot {2}live.*\n.*page-bot {2}live/s)
    assert.match(
      output,
      /^denied\n[\s\S]*^exit code 1$[\s\S]*revoked; 2 tokens affected\n[\s\S]*^exit code 1$/m,
    )
  })

  test('mcp.md: the quick start allows one call and denies the other', async (t) => {
    const server = createRequire(join(ROOT, 'cli/package.json')).resolve(
      '@modelcontextprotocol/server-filesystem/dist/index.js',
    )
    const output = await runGuide('mcp.md', {
      url: program.url,
      cwd: temporaryDirectory(t),
      change: (script) =>
        script.replaceAll('npx -y @modelcontextprotocol/server-filesystem', `${process.execPath} ${server}`),
    })
    assert.match(output, /"id":2[^\n]*Buy milk|Buy milk[^\n]*"id":2/)
    assert.match(output, /"id":3[^\n]*write_file \(write on mcp:files\) is not allowed/)
    assert.match(output, /^Buy milk$/m)
    assert.match(output, /"state":"completed"[^}]*"result":"success"/)
    assert.match(output, /"reasons":\["action_not_in_scope"\]/)
  })

  test('postgres.md: every block runs and prints what the guide says', async (t) => {
    const directory = temporaryDirectory(t)
    const embedded = await aProgram(t, join(directory, 'data'))
    await embedded.stop()
    const database = await aDatabase(t)
    const moved = await aDatabase(t)
    const aNode = (name: string) =>
      aProgram(t, join(directory, name), { DEPUTY_DATABASE_URL: database, DEPUTY_LOG_LEVEL: 'silent' })
    const run = async (block = '', nodes: readonly string[] = []) => {
      const script = block
        .replaceAll('npx deputy', DEPUTY)
        .replaceAll('postgres://deputy:secret@127.0.0.1:5432/deputy', database)
        .replaceAll('postgres://deputy:secret@127.0.0.1:5432/moved', moved)
        .replaceAll('http://127.0.0.1:8421', nodes[0] ?? '')
        .replaceAll('http://127.0.0.1:8422', nodes[1] ?? '')
      const { code, output } = await runScript(script, directory)
      assert.equal(code, 0, output)
      return output
    }
    const [migrate, copyKey, call, move, check, ...others] = blocksOf('docs/guides/postgres.md')
    assert.deepEqual(others, [])
    assert.match(await run(migrate), /is now up to date/)
    const first = await aNode('node-1')
    await run(copyKey)
    const second = await aNode('node-2')
    const answers = await run(call, [first.url, second.url])
    assert.match(answers, /"revoked":true.*"authorized":false.*"reasons":\["token_revoked"\]/s)
    assert.match(await run(move), /every table compared/)
    assert.match(
      await run(`export DEPUTY_DATABASE_URL=${database}\n${check}`),
      /^Checked \d+ leaves of the log[\s\S]*\nSound: /,
    )
  })

  test('every link leads to an existing file and heading', () => {
    const pages = globSync('{*.md,docs/**/*.md,bench/*.md,vectors/*.md}', { cwd: ROOT })
    for (const page of pages) {
      for (const [, link = '', heading] of read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)) {
        const target = link === '' ? page : join(dirname(page), link)
        assert.equal(globSync(target, { cwd: ROOT }).length, 1, `${page}: ${link}`)
        if (heading !== undefined)
          assert.ok(headingsOf(target).includes(heading), `${page}: ${link}#${heading}`)
      }
    }
  })
})

function read(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

/** The anchors that a page has when it is rendered. */
function headingsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, text = '']) => text)
  return headings.map((text) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}
