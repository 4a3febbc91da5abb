import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { deputy } from '@deputize/sdk'
import { freePort } from '@deputize/testing/free-port.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { callerOf, runCommand } from './run-deputy.ts'

const scope = { after }
const SCOPE = [
  '--developer-email=dev@example.com',
  '--agent-id=bot',
  '--resources=email:inbox',
  '--actions=read',
]

describe('a service in keyed mode', async () => {
  const home = temporaryDirectory(scope)
  const { url, output } = await aProgram(scope, temporaryDirectory(scope), {
    PORT: String(await freePort()),
    DEPUTY_ACCESS: 'keyed',
  })
  const [setup_secret = ''] = /dsu_[\w-]+/.exec(output()) ?? []
  const { key: operator } = await deputy({ url }).setUp({ setup_secret })
  const file = (name: string) => join(home, name)
  writeFileSync(file('operator'), operator)

  test("accepts API keys from files, and an agent's token with its key", async () => {
    const asAnonymous = callerOf(url)
    assert.equal((await asAnonymous.json(4, 'agents')).code, 'credential_required')
    assert.match(await asAnonymous.words(2, 'demo'), /is in keyed mode\. Pass the API key of a developer/)
    const asOperator = callerOf(url, ['--api-key-file', file('operator')])
    await asOperator.words(
      0,
      'keys',
      'create',
      '--name=dev',
      '--role=developer',
      `--save-key=${file('developer')}`,
    )
    assert.match(await asOperator.words(4, 'issue', ...SCOPE), /\(role_not_allowed, 403\)/)
    const asDeveloper = callerOf(url, ['--api-key-file', file('developer')])
    const files = [`--bind-to=${file('agent.jwk')}`, `--save-token=${file('token')}`]
    assert.doesNotMatch(await asDeveloper.words(0, 'issue', ...SCOPE, ...files), /eyJ[\w-]+\./)
    const asAgent = callerOf(url, ['--token-file', file('token'), '--agent-key-file', file('agent.jwk')])
    assert.equal((await asAgent.json(0, 'record', 'read', 'email:inbox', 'success')).recorded, true)
    const asThief = callerOf(url, ['--token-file', file('token')])
    assert.equal(
      (await asThief.json(4, 'record', 'read', 'email:inbox', 'success')).code,
      'credential_invalid',
    )
  })

  test('runs the demo with the key of a developer and skips the steps of the person', async () => {
    const key = file('for-demo')
    const asOperator = callerOf(url, ['--api-key-file', file('operator')])
    await asOperator.words(0, 'keys', 'create', '--name=demo', '--role=developer', `--save-key=${key}`)
    assert.match(await asOperator.words(4, 'demo'), /needs the API key of a developer[\s\S]*role_not_allowed/)
    assert.equal((await asOperator.json(4, 'demo')).code, 'role_not_allowed')
    const asDeveloper = callerOf(url, ['--api-key-file', key])
    const ids = await asDeveloper.json(0, 'demo')
    assert.equal('given' in ids.approvals, false)
    const shown = await asDeveloper.words(0, 'show', ids.provenance_ref)
    for (const word of ['budget_exceeded', 'action_not_in_scope', 'token_revoked', 'pending'])
      assert.match(shown, new RegExp(word))
    assert.match(await asDeveloper.words(0, 'show', ids.approvals.pending), /^state {6}pending$/m)
    assert.match(await asDeveloper.words(2, 'demo', '--people'), /needs a service in open mode/)
    assert.match(await asDeveloper.words(0, 'demo'), /needs a real person to approve[\s\S]*deputy show prov_/)
    const outcome = await runCommand(['demo', '--url', url, '--token-file', file('token')])
    assert.equal(outcome.status, 2, "an agent's token is not an API key")
  })

  test('gets credentials from the environment only if its DEPUTY_URL is that service or unset', async () => {
    const DEPUTY_API_KEY = operator
    assert.equal((await runCommand(['agents'], { DEPUTY_URL: url, DEPUTY_API_KEY })).status, 0)
    assert.equal((await runCommand(['agents', '--url', url], { DEPUTY_API_KEY })).status, 0)
    const elsewhere = 'http://127.0.0.1:9'
    const other = await runCommand(['agents', '--url', url, '--json'], {
      DEPUTY_URL: elsewhere,
      DEPUTY_API_KEY,
    })
    assert.equal(JSON.parse(other.stdout).code, 'credential_required')
    const both = await runCommand(['agents'], { DEPUTY_URL: url, DEPUTY_API_KEY, DEPUTY_TOKEN: 'vat_root_1' })
    assert.equal(both.status, 2)
    assert.match(both.stderr, /Unset one of them/)
    const wrong = await runCommand(['agents'], { DEPUTY_URL: url, DEPUTY_API_KEY: 'secret' })
    assert.match(wrong.stderr, /^DEPUTY_API_KEY doesn't contain an API key/)
    assert.doesNotMatch(wrong.stderr, /secret/)
  })

  test('gets credentials from a profile only if the profile names it', async () => {
    const profile = file('profile.json')
    writeFileSync(profile, JSON.stringify({ url, api_key_file: 'operator' }))
    assert.equal((await runCommand(['agents', '--profile', profile])).status, 0)
    const elsewhere = url.replace('127.0.0.1', 'localhost')
    const other = await runCommand(['agents', '--profile', profile, '--url', elsewhere, '--json'])
    assert.equal(JSON.parse(other.stdout).code, 'credential_required')
    const inherited = await runCommand(['agents', '--json'], { DEPUTY_URL: url })
    assert.equal(JSON.parse(inherited.stdout).code, 'credential_required')
    const typed = await runCommand(['agents', '--profile', profile], { DEPUTY_URL: elsewhere })
    assert.equal(typed.status, 0, 'a profile that is typed wins')
    const user = temporaryDirectory(scope)
    mkdirSync(join(user, 'deputy'))
    const own = { url, api_key_file: file('operator') }
    writeFileSync(join(user, 'deputy', 'profile.json'), JSON.stringify(own))
    const env = { XDG_CONFIG_HOME: user, DEPUTY_URL: elsewhere }
    const shown = await runCommand(['agents', '--json'], env)
    assert.equal(JSON.parse(shown.stdout).code, 'credential_required', 'its credentials go nowhere else')
    writeFileSync(profile, JSON.stringify({ url, api_key: 'dk_secret' }))
    const refused = await runCommand(['agents', '--profile', profile])
    assert.equal(refused.status, 2)
    assert.match(refused.stderr, /unknown member api_key/)
  })
})
