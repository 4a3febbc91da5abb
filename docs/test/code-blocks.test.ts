import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { aDatabase } from '@deputize/testing/a-database.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { blocksOf, runScript, scriptOf } from '@deputize/testing/page-script.ts'
import { aProgram, startProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { readWitnesses } from '../../server/src/log/witnesses.ts'
import { assertAnswers } from './answers.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

describe('the documentation', async () => {
  const scope = { after }
  const directory = temporaryDirectory(scope)
  const program = await startProgram(directory)
  after(() => program.stop())

  for (const [page, answers] of [
    ['README.md', 5],
    ['docs/guides/actions.md', 9],
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
    const script = scriptOf('docs/guides/keyed-mode.md').replaceAll('http://127.0.0.1:8420', url)
    const { code, output } = await runScript(`SETUP=${setup}\n${script}`, temporaryDirectory(context))
    assert.equal(code, 0, output)
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
    const script = scriptOf('docs/guides/external-verification.md').replaceAll('http://127.0.0.1:8420', url)
    const { code, output } = await runScript(script)
    assert.equal(code, 0, output)
    assert.equal(output, 'pass\nL2\nsandbox\nrevoked\n')
  })

  test('delegate-limit-revoke.md: every block runs and prints what the guide says', async () => {
    const script = scriptOf('docs/guides/delegate-limit-revoke.md').replaceAll(
      'http://127.0.0.1:8420',
      program.url,
    )
    const { code, output } = await runScript(script)
    assert.equal(code, 0, output)
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
      .replace('npx deputy', `exec ${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
      .replace('./witness', temporaryDirectory(t))
      .replace('8421', '0')
    const witness = await aProgram(t, '/nowhere', {}, ['bash', '-c', start])
    const script = scriptOf('docs/guides/witness.md').replaceAll('http://127.0.0.1:8421', witness.url)
    const { code, output } = await runScript(script)
    assert.equal(code, 0, output)
    assert.match(output, /^log {3}authority\.example\/log\+.*\nsize {2}no checkpoint yet$/m)
    assert.match(output, /This witness has not cosigned a checkpoint of that log\.\nstatus 404/)
    assert.match(output, /This witness does not watch that log\.\nstatus 404/)
    const [, setting = ''] = /^DEPUTY_WITNESSES=(.*)$/m.exec(output) ?? []
    const { witnesses, problems } = readWitnesses(setting)
    assert.deepEqual([problems, witnesses.map(({ url }) => url)], [[], [witness.url]])
    assert.equal(await witness.stop(), 0)
  })

  test('check-us.md: every command verifies what the guide says', async (t) => {
    const script = scriptOf('docs/guides/check-us.md')
      .replaceAll('http://127.0.0.1:8420', program.url)
      .replaceAll('npx deputy', `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
      .replaceAll('./data', directory)
    const { code, output } = await runScript(script, temporaryDirectory(t))
    assert.equal(code, 0, output)
    assert.match(output, /^deputy\/\w+\+[0-9a-f]{8}\+\S+$/m)
    assert.match(output, /"rating":"approved"/)
    assert.match(output, /exit code 1/)
    assert.match(output, /^entry \d+ is in the log of \d+: action\.recorded$/m)
    assert.match(output, /^entry \d+ is in the log of \d+: action\.rated$/m)
  })

  test('vouching.md: every block runs and prints what the guide says', async (t) => {
    const script = scriptOf('docs/guides/vouching.md')
      .replaceAll('http://127.0.0.1:8420', program.url)
      .replaceAll('npx deputy', `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
    const { code, output } = await runScript(
      `export DEPUTY_URL=${program.url}\n${script}`,
      temporaryDirectory(t),
    )
    assert.equal(code, 0, output)
    assert.match(output, /score +0\.000000[\s\S]*No vouch of a verified person reaches it/)
    assert.match(output, /score +0\.285714\nflow +0\.400000\nvouches +2\nanchors +1\n/)
    assert.match(output, /Limited by\n {2}0\.400000 {2}vouch vch_/)
    assert.match(output, /"flow":0\.8,/)
    assert.match(output, /^travel-bot +0\.285714 +0\.400000$/m)
    assert.match(output, /score +agent:travel-bot: 0\.285714 \(flow 0\.4\), equal to that of the service/)
  })

  test('cli.md: every block runs and prints what the guide says', async (t) => {
    const profile = join(temporaryDirectory(t), 'deputy')
    mkdirSync(profile)
    writeFileSync(join(profile, 'profile.json'), JSON.stringify({ url: program.url }))
    const script = scriptOf('docs/guides/cli.md').replaceAll(
      'npx deputy',
      `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`,
    )
    const { code, output } = await runScript(`export XDG_CONFIG_HOME=${dirname(profile)}\n${script}`)
    assert.equal(code, 0, output)
    assert.match(output, /^demo-buyer +active +2 /m)
    assert.match(output, /^apr_\w{36} {2}pending {2}demo-buyer/m)
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
    const script = scriptOf('docs/guides/mcp.md')
      .replaceAll('http://127.0.0.1:8420', program.url)
      .replaceAll('npx deputy', `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
      .replaceAll('npx -y @modelcontextprotocol/server-filesystem', `${process.execPath} ${server}`)
    const { code, output } = await runScript(script, temporaryDirectory(t))
    assert.equal(code, 0, output)
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
        .replaceAll('npx deputy', `${process.execPath} ${join(ROOT, 'cli/bin/deputy.js')}`)
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
