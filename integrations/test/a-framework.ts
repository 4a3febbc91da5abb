import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { type Authority, deputy, newAgentKey, resultHash } from '@deputize/sdk'
import type { GovernedOptions, ToolDenied } from '@deputize/sdk/ai'
import { aKeyedDeployment, anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'

/** The input of every tool in these tests. */
export interface Input {
  readonly name: string
}

export type ToolFunction = (input: Input, signal: AbortSignal | undefined) => unknown

/** The tool calls of the model in one turn. */
export type Turn = readonly { readonly tool: string; readonly input: Input }[]

export interface Play {
  readonly authority: Authority
  readonly options?: GovernedOptions
  readonly tools: Readonly<Record<string, ToolFunction>>
  /** The turns of the model before it finishes. */
  readonly turns: readonly Turn[]
  readonly signal?: AbortSignal
}

/** Runs an agent, and returns the results that the model got, in order. */
export type Player = (play: Play) => Promise<readonly string[]>

export const callId = (turn: number, at: number) => `call_${turn}_${at}`

const open = await anOpenDeployment({ after })
const keyed = await aKeyedDeployment({ after })
export const { client } = open

export interface AToken {
  readonly authority: Authority
  readonly jti: string
  readonly provenance_ref: string
}

/** A token for calling `find` and `send`, and for reading what `find` finds. */
export async function aToken(changes: Parameters<typeof open.token>[0] = {}): Promise<AToken> {
  const token = await open.token({
    resources: ['tool:find', 'tool:send', 'notes:work'],
    actions: ['call', 'read', 'delegate'],
    ...changes,
  })
  const { jti, provenance_ref } = token
  return { authority: client.withAuthority(token), jti, provenance_ref }
}

/** Like `aToken`, but the service is unreachable after a call of `away`. */
async function aFarToken(changes: Parameters<typeof open.token>[0] = {}) {
  const { jti, provenance_ref } = await aToken(changes)
  let base = open.url
  const fetch: typeof globalThis.fetch = (url, init) =>
    globalThis.fetch(String(url).replace(open.url, base), init)
  const away = () => {
    base = 'http://127.0.0.1:2'
  }
  const authority = deputy({ url: open.url, retries: 0, fetch }).withAuthority(jti)
  return { authority, provenance_ref, away }
}

/** The last record of each tool in a workflow. */
export async function recordsOf(provenance_ref: string) {
  const { data } = await client.listRecords({ provenance_ref })
  return new Map(data.map((record) => [toolOf(record.metadata), record]))
}

const toolOf = (metadata: Readonly<Record<string, unknown>> = {}) =>
  String((metadata.request as { tool: string } | undefined)?.tool ?? metadata.tool)

export async function denialsOf(provenance_ref: string) {
  return (await client.listDenials({ provenance_ref })).data
}

const questionOf = (provenance_ref: string) =>
  eventually(
    'a pending approval',
    async () => (await client.listApprovals({ provenance_ref, state: 'pending' })).data[0],
  )

const found = ({ name }: Input) => `found ${name}`
const FIND: Turn = [{ tool: 'find', input: { name: 'work' } }]
const SEND: Turn = [{ tool: 'send', input: { name: 'work' } }]
/** A time limit for tests that would wait forever if the signal were ignored. */
const LIMIT = { timeout: 120_000 }
const never = () => assert.fail('the tool was run')

/** The tests that every framework must pass. */
export function governedTools(framework: string, play: Player): void {
  describe(`tools of ${framework}`, () => {
    test('run if they are allowed, and leave a record of the result', async () => {
      const { authority, provenance_ref } = await aToken({ constraints: { max_spend_usd: 1 } })
      const rule = {
        action: 'read',
        resource: ({ name }: Input) => `notes:${name}`,
        spend_usd: ({ name }: Input) => name.length / 100,
      }
      const told = await play({
        authority,
        options: { tools: { find: rule } },
        tools: { find: found, send: never },
        turns: [FIND],
      })
      assert.deepEqual(told, ['found work'])
      const record = (await recordsOf(provenance_ref)).get('find')
      assert.deepEqual(
        [record?.state, record?.result, record?.action, record?.resource, record?.spend_usd],
        ['completed', 'success', 'read', 'notes:work', 0.04],
      )
      assert.equal(record?.result_hash, resultHash('found work'))
      assert.deepEqual(record?.metadata, {
        tool_call_id: callId(0, 0),
        request: {
          tool: 'find',
          arguments: { name: 'work' },
          arguments_sha256: resultHash({ name: 'work' })?.slice('sha256:'.length),
        },
      })
    })

    test('do not run outside the scope; the model reads why and continues', async () => {
      const { authority, provenance_ref } = await aToken({ resources: ['tool:find'] })
      const heard: ToolDenied[] = []
      const told = await play({
        authority,
        options: { on_denied: (denied) => heard.push(denied) },
        tools: { find: found, send: never },
        turns: [SEND, FIND],
      })
      const [denial] = await denialsOf(provenance_ref)
      assert.equal(denial?.resource, 'tool:send')
      assert.match(told[0] ?? '', /Not done: send \(call on tool:send\) is not allowed\./)
      assert.match(told[0] ?? '', /Reasons: resource_not_in_scope\./)
      assert.match(told[0] ?? '', /Ask the person who granted it for a token that does\./)
      assert.ok(told[0]?.includes(`The denial is stored as ${denial?.denial_id}.`))
      assert.equal(told[1], 'found work')
      assert.deepEqual(
        heard.map(({ denial: { code, tool, reasons, denial_id } }) => [code, tool, reasons, denial_id]),
        [['denied', 'send', ['resource_not_in_scope'], denial?.denial_id]],
      )
      assert.deepEqual([...(await recordsOf(provenance_ref)).keys()], ['find'])
    })

    test('do not run beyond a limit; the model reads which limit it is', async () => {
      const { authority } = await aToken({ constraints: { max_spend_usd: 1 } })
      const heard: ToolDenied[] = []
      const options = { default: { spend_usd: 3 }, on_denied: (denied: ToolDenied) => heard.push(denied) }
      const told = await play({ authority, options, tools: { find: found, send: never }, turns: [SEND] })
      assert.match(
        told[0] ?? '',
        /Reasons: budget_exceeded \(limit: max_spend_usd, remaining_usd: 1\)\.\n.+ Ask for less/,
      )
      const details = [{ reason: 'budget_exceeded', limit: 'max_spend_usd', remaining_usd: 1 }]
      assert.deepEqual(heard[0]?.denial.details, details)
    })

    test('stop when the token is revoked during the run', async () => {
      const { authority, jti, provenance_ref } = await aToken()
      const last = async (input: Input) => {
        await client.revokeToken({ vat_jti: jti })
        return found(input)
      }
      const told = await play({ authority, tools: { find: last, send: never }, turns: [FIND, SEND] })
      assert.equal(told[0], 'found work')
      assert.match(told[1] ?? '', /Reasons: token_revoked\./)
      assert.equal((await denialsOf(provenance_ref)).length, 1)
    })

    test('that throw leave a record with the result error, and the model continues', async () => {
      const { authority, provenance_ref } = await aToken()
      const broken = () => {
        throw new Error('the mail is on fire')
      }
      const told = await play({ authority, tools: { find: found, send: broken }, turns: [SEND, FIND] })
      assert.match(told[0] ?? '', /error|fire/i)
      assert.equal(told[1], 'found work')
      const records = await recordsOf(provenance_ref)
      assert.deepEqual([records.get('send')?.state, records.get('send')?.result], ['completed', 'error'])
      assert.equal(records.get('find')?.result, 'success')
    })

    test('run concurrently; the record of a slow one is pending meanwhile', async () => {
      const { authority, provenance_ref } = await aToken()
      const slow = async ({ name }: Input) => {
        const { state } = await eventually('the action record', async () => {
          const records = await recordsOf(provenance_ref)
          return records.get('find')?.state === 'completed' ? records.get('send') : undefined
        })
        return `${name} was ${state}`
      }
      const told = await play({ authority, tools: { find: found, send: slow }, turns: [[...SEND, ...FIND]] })
      assert.deepEqual(told, ['work was pending', 'found work'])
      assert.equal((await recordsOf(provenance_ref)).get('send')?.result, 'success')
    })

    test('are named as the cause of what they start', async () => {
      const { authority, provenance_ref } = await aToken()
      const helper = await authority.delegate({ agent_id: 'helper', actions: ['read'] })
      const causing = () => helper.run('read', 'notes:work', () => 'read', { metadata: { tool: 'inner' } })
      assert.deepEqual(await play({ authority, tools: { find: causing }, turns: [FIND] }), ['read'])
      const records = await recordsOf(provenance_ref)
      assert.equal(records.get('inner')?.parent_aar_id, records.get('find')?.aar_id)
      assert.equal(records.get('inner')?.agent_id, 'agent:helper')
    })

    test('wait for an approval and run after it', async () => {
      const { authority, provenance_ref } = await aToken({ constraints: { require_approval: {} } })
      const playing = play({ authority, tools: { find: found }, turns: [FIND] })
      await client.approve({ id: (await questionOf(provenance_ref)).approval_id })
      assert.deepEqual(await playing, ['found work'])
      assert.equal((await recordsOf(provenance_ref)).get('find')?.result, 'success')
    })

    test('do not run if the approval is denied or not awaited', async () => {
      const { authority, provenance_ref } = await aToken({ constraints: { require_approval: {} } })
      const playing = play({ authority, tools: { find: never }, turns: [FIND] })
      await client.deny({ id: (await questionOf(provenance_ref)).approval_id })
      assert.match((await playing)[0] ?? '', /Reasons: approval_denied\.\nA person denied this action\./)
      const options = { default: { approval: 'refuse' } } as const
      const [refused] = await play({ authority, options, tools: { send: never }, turns: [SEND] })
      assert.match(refused ?? '', /Reasons: approval_required\./)
      assert.match(refused ?? '', /The approval is apr_/)
    })

    test('do not run if the run was aborted while they waited', LIMIT, async () => {
      const { authority, provenance_ref } = await aToken({ constraints: { require_approval: {} } })
      const ending = new AbortController()
      const playing = play({
        authority,
        tools: { find: never },
        turns: [FIND],
        signal: ending.signal,
      }).catch(() => undefined)
      const { approval_id } = await questionOf(provenance_ref)
      ending.abort()
      await playing
      await client.approve({ id: approval_id })
      assert.equal((await recordsOf(provenance_ref)).size, 0)
    })

    test('aborted while they run leave a record with the result cancelled', LIMIT, async () => {
      const { authority, provenance_ref } = await aToken()
      const ending = new AbortController()
      const stopped = (_: Input, signal: AbortSignal | undefined) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          ending.abort()
        })
      const setting = { authority, tools: { find: stopped }, turns: [FIND], signal: ending.signal }
      await play(setting).catch(() => undefined)
      const record = await eventually('the action record', async () => {
        const found = (await recordsOf(provenance_ref)).get('find')
        return found?.state === 'pending' ? undefined : found
      })
      assert.deepEqual([record.state, record.result], ['completed', 'cancelled'])
    })

    test('do not run while the service is down, unless the options allow it', async () => {
      const { authority, away } = await aFarToken()
      away()
      const [told] = await play({ authority, tools: { find: never }, turns: [FIND] })
      assert.match(told ?? '', /cannot be reached, so the call was not made/)
      const options = { on_unavailable: 'allow' } as const
      const allowed = await play({ authority, options, tools: { find: found }, turns: [FIND] })
      assert.deepEqual(allowed, ['found work'])
    })

    test('do not run if the service goes down while they wait for an approval, whatever the options say', async () => {
      const { authority, provenance_ref, away } = await aFarToken({ constraints: { require_approval: {} } })
      const options = { on_unavailable: 'allow' } as const
      const playing = play({ authority, options, tools: { find: never }, turns: [FIND] })
      const { approval_id } = await questionOf(provenance_ref)
      away()
      await client.approve({ id: approval_id })
      assert.match((await playing)[0] ?? '', /cannot be reached/)
    })

    test('keep their result if the service goes down while they run', async () => {
      const { authority, provenance_ref, away } = await aFarToken()
      const lost: string[] = []
      const lasting = (input: Input) => {
        away()
        return found(input)
      }
      const options = { on_incomplete: (_error: unknown, aar_id: string) => lost.push(aar_id) }
      const told = await play({ authority, options, tools: { find: lasting }, turns: [FIND] })
      assert.deepEqual(told, ['found work'])
      const record = (await recordsOf(provenance_ref)).get('find')
      assert.deepEqual([record?.state, [record?.aar_id]], ['pending', lost])
    })

    test('are denied if the token is unknown or a rule throws', async () => {
      const stranger = client.withAuthority(`vat_root_${'0'.repeat(36)}`)
      const [unknown] = await play({
        authority: stranger,
        options: { on_unavailable: 'allow' },
        tools: { find: never },
        turns: [FIND],
      })
      assert.match(unknown ?? '', /The authority service refused: .*\((token_unknown|invalid_request)\)/)
      const { authority } = await aToken()
      const rule = {
        resource: () => {
          throw new Error('a secret')
        },
      }
      const options = { tools: { find: rule } }
      const [failed] = await play({ authority, options, tools: { find: never }, turns: [FIND] })
      assert.match(failed ?? '', /The guard failed/i)
      assert.doesNotMatch(failed ?? '', /secret/)
    })

    test('act with proofs of their own key in keyed mode', async () => {
      const agent_key = await newAgentKey()
      const token = await keyed.token({
        resources: ['tool:find'],
        actions: ['call'],
        agent_jwk: agent_key.jwk,
      })
      const authority = deputy({ url: keyed.url }).withAuthority(token, { agent_key })
      const told = await play({ authority, tools: { find: found, send: never }, turns: [[...FIND, ...SEND]] })
      assert.equal(told[0], 'found work')
      assert.match(told[1] ?? '', /resource_not_in_scope/)
      const { data } = await keyed.client.listRecords({ provenance_ref: token.provenance_ref })
      assert.deepEqual(
        data.map(({ state, result }) => [state, result]),
        [['completed', 'success']],
      )
    })

    test('are rejected at once if a member of the options is misspelled', async () => {
      const { authority } = await aToken()
      // Like options from a file, which the compiler hasn't checked.
      const refused = [{ tools: { find: { ressource: 'a:b' } } }, { on_unavailible: 'deny' }]
      for (const options of refused as GovernedOptions[])
        await assert.rejects(play({ authority, options, tools: { find: never }, turns: [] }), TypeError)
    })
  })
}
