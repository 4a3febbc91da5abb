import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, describe, test } from 'node:test'
import {
  AuthorityDenied,
  CompletionFailed,
  deputy,
  isDeputyError,
  isUnavailable,
  newAgentKey,
  resultHash,
} from '@deputize/sdk'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'

const { client, url, token } = await anOpenDeployment({ after })
const sha256 = (data: string | Uint8Array) => `sha256:${createHash('sha256').update(data).digest('hex')}`

const recordsOf = async (provenance_ref: string) => {
  const { data } = await client.listRecords({ provenance_ref })
  return Object.fromEntries(data.map((record) => [record.action, record]))
}

describe('run', () => {
  test('authorizes, does the work and records the result', async () => {
    const issued = await token({ constraints: { max_spend_usd: 5 } })
    const found = await client.withAuthority(issued).run(
      'read',
      'calendar:events',
      async ({ aar_id, outcome }) => {
        assert.equal((await client.getRecord({ id: aar_id })).state, 'pending')
        outcome({ spend_usd: 0.2, metadata: { model: 'm-1' } })
        return { b: 1, a: [true] }
      },
      { spend_usd: 0.5, metadata: { model: 'm-1' } },
    )
    assert.deepEqual(found, { b: 1, a: [true] })
    const { read } = await recordsOf(issued.provenance_ref)
    assert.deepEqual([read?.state, read?.result, read?.spend_usd], ['completed', 'success', 0.2])
    assert.equal(read?.result_hash, sha256('{"a":[true],"b":1}'))
  })

  test('rounds costs up to micro-dollars, without the noise of float sums', async () => {
    const issued = await token({ constraints: { max_spend_usd: 5 } })
    const me = client.withAuthority(issued)
    await me.run('read', 'calendar:events', ({ outcome }) => outcome({ spend_usd: 0.1 + 0.2 }), {
      spend_usd: 0.7 + 0.1,
    })
    await me.run('write', 'calendar:events', () => 1, { spend_usd: 0.0001851 })
    const { read, write } = await recordsOf(issued.provenance_ref)
    assert.deepEqual([read?.spend_usd, write?.spend_usd], [0.3, 0.000186])
  })

  test('throws a TypeError for a cost that is not an amount', async () => {
    const issued = await token()
    const me = client.withAuthority(issued)
    for (const spend_usd of [Number.NaN, Infinity, -1]) {
      const wrong = me.run('read', 'calendar:events', () => 1, { spend_usd })
      await assert.rejects(wrong, TypeError)
    }
    assert.deepEqual(await recordsOf(issued.provenance_ref), {})
    const reported = me.run('read', 'calendar:events', ({ outcome }) => outcome({ spend_usd: Number.NaN }))
    await assert.rejects(reported, TypeError)
    assert.equal((await recordsOf(issued.provenance_ref)).read?.result, 'error')
  })

  test('keeps the default of a member of the outcome that is undefined', async () => {
    const issued = await token()
    const me = client.withAuthority(issued)
    const failing = me.run('read', 'calendar:events', ({ outcome }) => {
      outcome({ result: undefined, spend_usd: undefined, metadata: undefined })
      throw new Error('the calendar is on fire')
    })
    await assert.rejects(failing, /on fire/)
    await me.run('write', 'calendar:events', ({ outcome }) => {
      outcome({ result: 'partial', metadata: { left: 2 } })
      outcome({ result: undefined })
    })
    const { read, write } = await recordsOf(issued.provenance_ref)
    assert.equal(read?.result, 'error')
    assert.deepEqual([write?.result, write?.metadata], ['partial', { left: 2 }])
  })

  test('records an error and rethrows it if the work fails', async () => {
    const issued = await token()
    const cause = new Error('the calendar is on fire')
    const work = client.withAuthority(issued).run('write', 'calendar:events', () => {
      throw cause
    })
    await assert.rejects(work, cause)
    const { write } = await recordsOf(issued.provenance_ref)
    assert.deepEqual([write?.state, write?.result, write?.result_hash], ['completed', 'error', undefined])
  })

  test('throws a denial with its reasons and does no work', async () => {
    const issued = await token()
    let isDone = false
    const denied = await client
      .withAuthority(issued)
      .run('delete', 'calendar:other', () => {
        isDone = true
      })
      .catch((error: unknown) => error)
    assert.ok(denied instanceof AuthorityDenied)
    assert.deepEqual(denied.reasons, ['action_not_in_scope', 'resource_not_in_scope'])
    assert.ok(isDeputyError(denied, 'not_allowed'))
    assert.deepEqual([denied.problem.reasons, denied.problem.denial_id], [denied.reasons, denied.denial_id])
    assert.equal(isDone, false)
    assert.equal((await client.getDenial({ id: denied.denial_id ?? '' })).action, 'delete')
  })

  test('names the limit and what would help in a denial', async () => {
    const me = client.withAuthority(await token({ constraints: { max_spend_usd: 1, require_approval: {} } }))
    const denialOf = async (spend_usd: number, wait_for_approval?: number) => {
      const run = me.run('read', 'calendar:events', () => undefined, { spend_usd, wait_for_approval })
      const error: unknown = await run.catch((error: unknown) => error)
      assert.ok(error instanceof AuthorityDenied)
      return error
    }
    const poor = await denialOf(3)
    assert.deepEqual(poor.details, [{ reason: 'budget_exceeded', limit: 'max_spend_usd', remaining_usd: 1 }])
    assert.match(
      poor.message,
      /is not allowed: budget_exceeded \(limit: max_spend_usd, remaining_usd: 1\)\. .+ Ask for less/,
    )
    const asked = await denialOf(1)
    assert.match(asked.message, /approve this action first\. Wait for it with wait_for_approval, or pass/)
    assert.ok(asked.approval_id !== undefined && asked.message.includes(asked.approval_id))
    assert.match((await denialOf(1, 1)).message, / is still pending\.$/)
  })

  test('throws if the work returns a generator, which has not run yet', async () => {
    const issued = await token()
    const me = client.withAuthority(issued)
    async function* lines() {
      yield 'stand-up'
    }
    await assert.rejects(me.run('read', 'calendar:events', lines), /^TypeError: A generator .* begin\(\)/)
    assert.deepEqual(await recordsOf(issued.provenance_ref), {})
    await assert.rejects(
      me.run('read', 'calendar:events', () => lines()),
      /^TypeError: A generator/,
    )
    assert.equal((await recordsOf(issued.provenance_ref)).read?.result, 'error')
  })

  test('names the surrounding run as its cause, unless another is given or the workflow differs', async () => {
    const issued = await token()
    const other = await token()
    const me = client.withAuthority(issued)
    const outer = await me.run('read', 'calendar:events', async ({ aar_id }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      await me.run('write', 'calendar:events', () => undefined)
      await client.withAuthority(other).run('read', 'calendar:events', () => undefined)
      return aar_id
    })
    const inner = (await recordsOf(issued.provenance_ref)).write
    assert.equal(inner?.parent_aar_id, outer)
    assert.equal((await recordsOf(other.provenance_ref)).read?.parent_aar_id, undefined)
    // From an ID alone, the workflow is unknown.
    const byId = client.withAuthority(other.jti)
    await me.run('read', 'calendar:events', () => byId.run('write', 'calendar:events', () => undefined))
    const { write } = await recordsOf(other.provenance_ref)
    assert.deepEqual([write?.result, write?.parent_aar_id], ['success', undefined])
    await assert.rejects(
      byId.run('read', 'calendar:events', () => undefined, { parent: outer }),
      (error) => isDeputyError(error, 'parent_record_unknown'),
    )
    const child = await me.delegate({ agent_id: 'sub', actions: ['write'] })
    const id = await child.run('write', 'calendar:events', ({ aar_id }) => aar_id, {
      parent: { aar_id: inner?.aar_id ?? '' },
    })
    assert.equal((await client.getRecord({ id })).parent_aar_id, inner?.aar_id)
  })

  test('names the surrounding action as its cause, not one that has ended', async () => {
    const me = client.withAuthority(await token())
    const background: Promise<string>[] = []
    const begun = Promise.withResolvers<void>()
    const later = async () => {
      await begun.promise
      return me.run('write', 'calendar:events', ({ aar_id }) => aar_id)
    }
    await me.run('read', 'calendar:events', () => void background.push(later()))
    const outer = await me.run('read', 'calendar:events', async ({ aar_id }) => {
      await me.run('read', 'calendar:events', () => void background.push(later()))
      begun.resolve()
      await Promise.all(background)
      return aar_id
    })
    const parents = (await Promise.all(background)).map(
      async (id) => (await client.getRecord({ id })).parent_aar_id,
    )
    assert.deepEqual(await Promise.all(parents), [undefined, outer])
  })

  test('records work as cancelled if it stops because the caller aborted', async () => {
    const issued = await token({ constraints: { max_spend_usd: 5 } })
    const ending = new AbortController()
    const { signal } = ending
    const stopped = client.withAuthority(issued).run(
      'read',
      'calendar:events',
      async () => {
        ending.abort()
        signal.throwIfAborted()
      },
      { signal, spend_usd: 1 },
    )
    await assert.rejects(stopped, { name: 'AbortError' })
    const { read } = await recordsOf(issued.provenance_ref)
    assert.deepEqual([read?.state, read?.result, read?.spend_usd], ['completed', 'cancelled', 1])
  })

  test('waits for an approval and continues after it', async () => {
    const issued = await token({ constraints: { require_approval: { actions: ['write'] } } })
    const me = client.withAuthority(issued)
    const done = me.run('write', 'calendar:events', () => 'booked', {
      wait_for_approval: true,
      metadata: { seats: 2 },
    })
    const question = await eventually('a pending approval', async () => {
      const { data } = await client.listApprovals({ provenance_ref: issued.provenance_ref, state: 'pending' })
      return data[0]
    })
    await client.approve({ id: question.approval_id })
    assert.equal(await done, 'booked')
    assert.equal((await recordsOf(issued.provenance_ref)).write?.result, 'success')
  })

  test('throws if the approval is denied, late, or not waited for', async () => {
    const issued = await token({ constraints: { require_approval: {} } })
    const me = client.withAuthority(issued)
    const work = () => assert.fail('the work was done')
    const asked = await me.run('read', 'calendar:events', work).catch((error: unknown) => error)
    assert.ok(asked instanceof AuthorityDenied && asked.approval_id !== undefined)
    const late = me.run('read', 'calendar:events', work, { wait_for_approval: 200 })
    await assert.rejects(late, AuthorityDenied)
    const refused = me.run('write', 'calendar:events', work, { wait_for_approval: 120_000 })
    const question = await eventually('a pending approval', async () => {
      const { data } = await client.listApprovals({ provenance_ref: issued.provenance_ref, state: 'pending' })
      return data.find(({ action }) => action === 'write')
    })
    await client.deny({ id: question.approval_id, note: 'Ask me on Monday.' })
    const said_no = await refused.catch((error: unknown) => error)
    assert.ok(said_no instanceof AuthorityDenied)
    assert.deepEqual(
      [said_no.reasons, said_no.approval_state, said_no.approval_id, said_no.note],
      [['approval_denied'], 'denied', question.approval_id, 'Ask me on Monday.'],
    )
  })

  test('distinguishes an approval that has expired from one that is still pending', async (t) => {
    const hasty = await anOpenDeployment(t, { DEPUTY_APPROVAL_TTL_S: '1' })
    const work = () => assert.fail('the work was done')
    const me = hasty.client.withAuthority(await hasty.token({ constraints: { require_approval: {} } }))
    const expired = await me
      .run('read', 'calendar:events', work, { wait_for_approval: true })
      .catch((error: unknown) => error)
    assert.ok(expired instanceof AuthorityDenied)
    assert.deepEqual([expired.reasons, expired.approval_state], [['approval_required'], 'expired'])
    const asking = client.withAuthority(await token({ constraints: { require_approval: {} } }))
    const pending = await asking
      .run('read', 'calendar:events', work, { wait_for_approval: 1 })
      .catch((error: unknown) => error)
    assert.ok(pending instanceof AuthorityDenied)
    assert.deepEqual([pending.reasons, pending.approval_state], [['approval_required'], 'pending'])
  })

  test('completes the record without a hash if the return value throws when it is read', async () => {
    const unread = () => {
      throw new Error('not loaded')
    }
    const lazy = Object.defineProperty({}, 'events', { get: unread, enumerable: true })
    for (const value of [lazy, new Proxy({}, { ownKeys: unread }), new Proxy({}, { has: unread })]) {
      const issued = await token()
      const me = client.withAuthority(issued)
      assert.equal(
        await me.run('read', 'calendar:events', () => ({ value })).then((given) => given.value),
        value,
      )
      const [record] = Object.values(await recordsOf(issued.provenance_ref))
      assert.deepEqual([record?.result, record?.result_hash], ['success', undefined])
    }
  })

  test('passes on the return value if the record cannot be completed', async (t) => {
    const own = await anOpenDeployment(t)
    const impatient = deputy({ url: own.url, retries: 0 })
    const failed = await impatient
      .withAuthority(await own.token())
      .run('read', 'calendar:events', async () => {
        await own.program.kill()
        return 42
      })
      .catch((error: unknown) => error)
    assert.ok(failed instanceof CompletionFailed)
    assert.equal(failed.value, 42)
    assert.ok(isDeputyError(failed, 'completion_failed') && !isUnavailable(failed))
    assert.ok(isDeputyError(failed.cause, 'unreachable'))
    assert.match(
      failed.message,
      /^The work was done, but .+ could not be completed: The service could not be reached/,
    )
  })
})

describe('begin', () => {
  test('leaves the work and its outcome to the caller', async () => {
    const issued = await token({ actions: ['read', 'write', 'plan'] })
    const me = client.withAuthority(issued)
    const begun = await me.begin('read', 'calendar:events')
    assert.equal((await client.getRecord({ id: begun.aar_id })).state, 'pending')
    await begun.during(() => me.run('plan', 'calendar:events', () => 1))
    await begun.succeed('all of it')
    await (await me.begin('write', 'calendar:events')).fail()
    const { read, write, plan } = await recordsOf(issued.provenance_ref)
    assert.deepEqual([read?.result, read?.result_hash], ['success', sha256('"all of it"')])
    assert.equal(plan?.parent_aar_id, begun.aar_id)
    assert.equal(write?.result, 'error')
    const left = await me.begin('read', 'calendar:events', { spend_usd: 0.5 })
    await left.giveUp()
    const { state, result, spend_usd } = await client.getRecord({ id: left.aar_id })
    assert.deepEqual([state, result, spend_usd], ['completed', 'cancelled', 0.5])
    const dropped = await me.begin('read', 'calendar:events')
    await dropped.cancel()
    assert.equal((await client.getRecord({ id: dropped.aar_id })).state, 'cancelled')
  })

  test('accepts an approval that was given earlier', async () => {
    const issued = await token({ constraints: { require_approval: {} } })
    const me = client.withAuthority(issued)
    const asked = await me.begin('read', 'calendar:events').catch((error: unknown) => error)
    assert.ok(asked instanceof AuthorityDenied)
    await client.approve({ id: asked.approval_id ?? '' })
    await (await me.begin('read', 'calendar:events', { approval_id: asked.approval_id })).succeed()
    assert.equal((await recordsOf(issued.provenance_ref)).read?.result, 'success')
  })

  test('cancels an action that is allowed after the caller has aborted', async () => {
    const issued = await token()
    const ending = new AbortController()
    const impatient: typeof fetch = async (...request) => {
      const answer = await fetch(...request)
      ending.abort()
      return answer
    }
    const me = deputy({ url, fetch: impatient }).withAuthority(issued)
    const work = () => assert.fail('the work was done')
    const { signal } = ending
    await assert.rejects(me.run('read', 'calendar:events', work, { signal }), { name: 'AbortError' })
    const { read } = await eventually('the action record', async () => {
      const records = await recordsOf(issued.provenance_ref)
      return records.read?.state === 'pending' ? undefined : records
    })
    assert.equal(read?.state, 'cancelled')
    await assert.rejects(me.run('write', 'calendar:events', work, { signal }), { name: 'AbortError' })
    assert.equal((await recordsOf(issued.provenance_ref)).write, undefined)
  })
})

describe('an authority', () => {
  test("binds a sub-agent's token to its key, even if only the public part is known", async () => {
    const me = client.withAuthority(await token())
    const agent_key = await newAgentKey()
    for (const key of [{ agent_key }, { agent_jwk: agent_key.jwk }]) {
      const child = await me.delegate({ agent_id: 'sub', actions: ['read'], ...key })
      const { claims } = await client.getToken({ jti: child.jti })
      assert.deepEqual(claims.cnf, { jkt: agent_key.jkt })
    }
    await assert.rejects(me.delegate({ agent_id: 'sub', agent_key, agent_jwk: agent_key.jwk }), TypeError)
    const other = { agent_id: 'sub', vat_jti: 'vat_root_x' }
    await assert.rejects(me.delegate(other), /vat_jti cannot be set/)
  })

  test('delegates only part of its authority', async () => {
    const me = client.withAuthority(await token())
    const child = await me.delegate({ agent_id: 'sub', actions: ['read'], constraints: { max_actions: 1 } })
    assert.equal(await child.run('read', 'calendar:events', () => 'once'), 'once')
    await assert.rejects(
      child.run('read', 'calendar:events', () => 'twice'),
      AuthorityDenied,
    )
    const wider = me.delegate({ agent_id: 'sub', actions: ['delete'] })
    await assert.rejects(wider, (error) => isDeputyError(error, 'scope_widening'))
  })

  test('accepts a compact JWT, and in open mode an ID', async () => {
    const { jti, compact_jwt } = await token()
    for (const shown of [jti, compact_jwt, { jti }]) {
      const me = deputy({ url }).withAuthority(shown)
      assert.equal(me.jti, jti)
      assert.equal(await me.run('read', 'calendar:events', () => 1), 1)
    }
  })
})

describe('the hash of a result', () => {
  test('is taken over the bytes or the canonical JSON', () => {
    assert.equal(resultHash(new Uint8Array([1, 2])), sha256(new Uint8Array([1, 2])))
    assert.equal(resultHash(new Uint8Array([1, 2]).buffer), sha256(new Uint8Array([1, 2])))
    assert.equal(resultHash('text'), sha256('"text"'))
    assert.equal(resultHash(null), sha256('null'))
    assert.equal(resultHash({ b: new Date(0), a: undefined }), sha256('{"b":"1970-01-01T00:00:00.000Z"}'))
  })

  test('is undefined for values without a canonical form', () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    for (const value of [
      undefined,
      () => 1,
      Symbol('x'),
      1n,
      Number.NaN,
      circle,
      new Response('x'),
      new Map(),
    ])
      assert.equal(resultHash(value), undefined)
  })
})
