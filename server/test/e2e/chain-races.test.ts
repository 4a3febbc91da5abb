import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aService } from './a-service.ts'

const CALLERS = 64

const service = await aService({ after }, CALLERS)
const { client } = service

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.ok(status === 200 || status === 201, JSON.stringify(body))
  return body
}

async function aRoot(constraints: Record<string, unknown> = {}): Promise<string> {
  const request = anIssueRequest({ actions: ['read', 'write', 'delegate'], constraints })
  return (await ok(client.post('/v1/vat/issue/l1', request))).jti
}

const delegate = (vat_jti: string, agent_id = 'sub-bot') =>
  client.post('/v1/vat/delegate', { vat_jti, agent_id, actions: ['read', 'delegate'] })

const anAction = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...changes,
})

const statusOf = async (jti: string) => (await ok(client.get(`/v1/vat/tokens/${jti}`))).status

describe('siblings that act at once', () => {
  test('spend the budget of their root to the last micro-dollar and no more', async () => {
    const root = await aRoot({ max_spend_usd: 0.00005 })
    const children = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => (await ok(delegate(root, `bot-${n}`))).jti as string),
    )
    const leaves = await Promise.all(children.map(async (jti) => (await ok(delegate(jti))).jti as string))
    const spenders = [...children, ...leaves]
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, n) => {
        const action = anAction(spenders[n % spenders.length] ?? root, { spend_usd: 0.000001 })
        return n % 3 === 0
          ? client.post('/v1/vat/authorize', action)
          : client.post('/v1/vat/record/action', { ...action, result: 'success' })
      }),
    )
    const reserved = answers.filter(({ body }) => body.authorized === true).length
    const spent = answers.filter(({ body }) => body.recorded === true).length
    assert.equal(reserved + spent, 50)
    for (const { body } of answers.filter((one) => !one.body.authorized && !one.body.recorded))
      assert.deepEqual(body.reasons, ['budget_exceeded'])
    const { budget } = await ok(client.get(`/v1/vat/tokens/${root}`))
    assert.deepEqual(budget, {
      allocated_usd: 0.00005,
      spent_usd: spent / 1_000_000,
      reserved_usd: reserved / 1_000_000,
      remaining_usd: 0,
    })
  })

  test('take as many actions as their root allows and no more', async () => {
    const root = await aRoot({ max_actions: 20 })
    const children = await Promise.all(
      Array.from({ length: 8 }, async () => (await ok(delegate(root))).jti as string),
    )
    const answers = await Promise.all(
      Array.from({ length: 96 }, (_, n) =>
        client.post('/v1/vat/authorize', anAction(children[n % 8] ?? root)),
      ),
    )
    assert.equal(answers.filter(({ body }) => body.authorized).length, 20)
  })
})

describe('a revocation', () => {
  test('never leaves a live child behind, in 1,000 races against a delegation', async () => {
    let before = 0
    let after = 0
    for (let round = 0; round < 20; round++) {
      const roots = await Promise.all(Array.from({ length: 50 }, () => aRoot()))
      await Promise.all(
        roots.map(async (root, n) => {
          // In turn, one goes first, the other goes first, or both start as close together as possible.
          const delegation = async () => {
            if (n % 3 === 0) await sleep(n % 5)
            return delegate(root)
          }
          const revocation = async () => {
            if (n % 3 === 1) await sleep(n % 5)
            return ok(client.post('/v1/vat/revoke', { vat_jti: root }))
          }
          const [child, { revoked_count }] = await Promise.all([delegation(), revocation()])
          if (child.status === 201) {
            before += 1
            assert.equal(await statusOf(child.body.jti), 'revoked')
            assert.equal(revoked_count, 2)
          } else {
            after += 1
            assert.deepEqual([child.status, child.body.code], [403, 'token_not_live'])
            assert.equal(revoked_count, 1)
          }
        }),
      )
    }
    assert.equal(before + after, 1000)
    assert.ok(before > 0 && after > 0, `${before} delegations came before and ${after} after`)
  })

  test('stops every action below it that starts after it is answered', async () => {
    let allowed = 0
    let denied = 0
    for (let round = 0; round < 6; round++) {
      const root = await aRoot()
      const middle: string = (await ok(delegate(root))).jti
      const leaf: string = (await ok(delegate(middle))).jti
      let isRevoked = false
      let isOver = false
      const storm = Array.from({ length: 32 }, async (_, caller) => {
        while (!isOver) {
          const beganAfter = isRevoked
          const { body } = await client.post('/v1/vat/authorize', anAction(caller % 2 === 0 ? leaf : middle))
          assert.ok(!(beganAfter && body.authorized), 'allowed after the revocation was answered')
          if (body.authorized) allowed += 1
          if (beganAfter) denied += 1
        }
      })
      await eventually('actions before the revocation', () => allowed > 10 * (round + 1))
      const [revoke, body] = (
        [
          ['/v1/vat/revoke', { vat_jti: middle }],
          ['/v1/vat/revoke', { vat_jti: root }],
          [`/v1/vat/tokens/${root}/suspend`, undefined],
        ] as const
      )[round % 3] ?? ['/v1/vat/revoke', { vat_jti: root }]
      await ok(client.post(revoke, body))
      isRevoked = true
      await eventually('attempts after the revocation', () => denied > 10 * (round + 1))
      isOver = true
      await Promise.all(storm)
    }
  })
})

test('after all races the log, the counters and the accounts agree with the records', async () => {
  assert.ok((await service.audit()) > 2000)
})
