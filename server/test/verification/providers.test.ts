import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { loadProviders } from '../../src/verification/load-providers.ts'
import { readProviders } from '../../src/verification/providers.ts'

const company = { name: 'company', issuer: 'https://login.example.com', client_id: 'deputy' }

function problemsOf(...providers: readonly unknown[]): readonly string[] {
  const read = readProviders(JSON.stringify({ providers }), () => 'secret')
  assert.equal(read.providers.length === 0, read.problems.length > 0 || providers.length === 0)
  return read.problems
}

describe('the file of sign-in providers', () => {
  test('requires a name, an issuer and a client ID, and has defaults for the rest', () => {
    const { providers, problems } = readProviders(JSON.stringify({ providers: [company] }), () => '')
    assert.deepEqual(problems, [])
    assert.deepEqual(providers, [
      {
        ...company,
        client_secret: undefined,
        tenant_id: 'default',
        scopes: ['openid', 'email'],
        groups_claim: 'groups',
        groups: undefined,
        required_groups: [],
        roles: new Map(),
        prompt: undefined,
      },
    ])
  })

  test('accepts every member', () => {
    const { providers, problems } = readProviders(
      JSON.stringify({
        providers: [
          {
            ...company,
            client_secret_file: 'company.secret',
            tenant_id: 'acme',
            scopes: ['openid', 'groups'],
            groups_claim: 'roles',
            groups: { staff: { resources: ['calendar:*'], actions: ['read'] } },
            required_groups: ['staff'],
            roles: { admins: 'operator', readers: 'auditor' },
            prompt: 'login',
          },
        ],
      }),
      (file) => (file === 'company.secret' ? 'hush\n' : assert.fail(file)),
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(
      [providers[0]?.client_secret, providers[0]?.tenant_id, providers[0]?.groups?.get('staff')],
      ['hush', 'acme', { resources: ['calendar:*'], actions: ['read'] }],
    )
    assert.deepEqual(
      [...(providers[0]?.roles ?? [])],
      [
        ['admins', 'operator'],
        ['readers', 'auditor'],
      ],
    )
  })

  test('has the form that the guide shows', () => {
    const guide = readFileSync(new URL('../../../docs/guides/single-sign-on.md', import.meta.url), 'utf8')
    const [, example = ''] = /^```json\n([\s\S]*?)^```$/m.exec(guide) ?? []
    const { providers, problems } = readProviders(example, () => 'secret')
    assert.deepEqual([problems, providers.map(({ name }) => name)], [[], ['company']])
    for (const member of Object.keys(JSON.parse(example).providers[0]))
      assert.ok(guide.includes(`| \`${member}\` |`), member)
  })

  test('reports every mistake at once, with its provider', () => {
    const problems = problemsOf(
      { ...company, isuer: 'x', prompt: 'none', scopes: ['email'], tenant_id: 'Not A Tenant' },
      {
        name: 'Other',
        roles: { admins: 'human' },
        client_id: '',
        issuer: 'http://login.example.com',
        groups_claim: '',
      },
    )
    for (const pattern of [
      /^Provider company: Unknown member "isuer"/,
      /^Provider company: prompt must be one of/,
      /^Provider company: scopes must include openid/,
      /^Provider company: tenant_id must/,
      /^Provider Other: name must/,
      /^Provider Other: client_id must/,
      /^Provider Other: issuer must be the provider/,
      /^Provider Other: groups_claim must/,
      /^Provider Other: roles must/,
    ])
      assert.equal(problems.filter((problem) => pattern.test(problem)).length, 1, String(pattern))
    assert.equal(problems.length, 9)
  })

  test('accepts only https and local issuers', () => {
    for (const issuer of [
      'https://a.example.com/realms/x',
      'https://a.example.com/',
      'http://127.0.0.1:3000',
    ])
      assert.deepEqual(problemsOf({ ...company, issuer }), [], issuer)
    for (const issuer of [
      ...['', 'a.example.com', 'ftp://a.example.com', 'javascript:1', 'http://a.example.com', 7, null],
      ...['https://a.example.com?x=1', 'https://a.example.com#x', 'https://u:p@a.example.com', 'https://a b'],
      ...['https://a.example.com/x|y', 'https://a.example.com?'],
    ])
      assert.equal(problemsOf({ ...company, issuer }).length, 1, String(issuer))
  })

  test('accepts only valid scopes for groups', () => {
    const withGroups = (groups: unknown) => problemsOf({ ...company, groups })
    assert.deepEqual(withGroups({ a: { resources: ['x:y', 'x:*'], actions: ['read'] } }), [])
    for (const groups of [
      [],
      'staff',
      { a: {} },
      { a: { resources: ['*'], actions: ['read'] } },
      { a: { resources: ['x:y'], actions: ['*'] } },
      { a: { resources: ['x:y'], actions: 'read' } },
      { a: { resources: ['x:y'], actions: ['read'], more: true } },
    ])
      assert.equal(withGroups(groups).length, 1, JSON.stringify(groups))
  })

  test('refuses two providers that cannot be told apart', () => {
    assert.match(
      String(problemsOf(company, { ...company, client_id: 'b' })),
      /Two providers are named "company"/,
    )
    assert.match(String(problemsOf(company, { ...company, name: 'b' })), /the same client_id/)
    assert.deepEqual(problemsOf(company, { ...company, name: 'b', client_id: 'b' }), [])
  })

  test('is refused in any other form', () => {
    for (const text of ['', '{', '[]', '{}', '{"providers":{}}', '{"providers":[1]}', '{"provider":[]}'])
      assert.ok(readProviders(text, () => '').problems.length > 0, text)
    assert.match(String(readProviders('{"providers":[],"providers":[]}', () => '').problems), /providers/)
  })

  test('names the file of a secret, and no message contains the secret', (context) => {
    const directory = temporaryDirectory(context)
    const file = join(directory, 'sign-on.json')
    const using = (client_secret_file: string) => {
      writeFileSync(file, JSON.stringify({ providers: [{ ...company, client_secret_file }] }))
      return loadProviders(file)
    }
    writeFileSync(join(directory, 'secret'), 'canary-secret\n')
    writeFileSync(join(directory, 'empty'), '\n')
    assert.equal(using('secret').providers[0]?.client_secret, 'canary-secret')
    assert.match(String(using('empty').problems), /must contain the secret/)
    assert.match(String(using('missing').problems), /Cannot read client_secret_file/)
    assert.match(String(loadProviders(join(directory, 'nowhere')).problems), /Cannot read .*\(ENOENT\)/)
    const direct = readProviders(
      JSON.stringify({ providers: [{ ...company, client_secret: 'canary-secret' }] }),
      () => '',
    )
    assert.match(String(direct.problems), /Unknown member "client_secret"/)
    assert.ok(!String(direct.problems).includes('canary-secret'))
  })
})
