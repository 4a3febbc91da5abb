import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aService } from './a-service.ts'

const CALLERS = 64

const service = await aService({ after }, CALLERS)
const { client } = service

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

/** Sends one request from each caller at once, each over its own connection. */
const race = (call: (caller: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))

const withStatus = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status)

async function aToken(constraints: Record<string, unknown> = {}): Promise<string> {
  return (await ok(client.post('/v1/vat/issue/l1', anIssueRequest({ constraints })))).jti
}

const anAction = (vat_jti: string, changes: Record<string, unknown> = {}) => ({
  vat_jti,
  action: 'read',
  resource: 'calendar:events',
  ...changes,
})

async function aPendingRecord(): Promise<string> {
  return (await ok(client.post('/v1/vat/authorize', anAction(await aToken())))).aar_id
}

const RATINGS = ['approved', 'flagged', 'rejected']

describe(`of ${CALLERS} callers at once`, () => {
  test('exactly one sets the rating, and the others get that rating in the refusal', async () => {
    for (let round = 0; round < 5; round++) {
      const aar_id = await aPendingRecord()
      const answers = await race((caller) =>
        client.post(`/v1/vat/aar/${aar_id}/feedback`, { rating: RATINGS[caller % 3], note: `by ${caller}` }),
      )
      const [winner, ...more] = withStatus(answers, 200)
      assert.deepEqual(more, [])
      const kept = await ok(client.get(`/v1/vat/aar/${aar_id}`))
      assert.equal(kept.rating, winner?.body.rating)
      assert.equal(kept.feedback_at, winner?.body.feedback_at)
      const losers = withStatus(answers, 409)
      assert.equal(losers.length, CALLERS - 1)
      for (const { body } of losers) {
        assert.equal(body.code, 'rating_immutable')
        assert.equal(body.rating, kept.rating)
        assert.equal(body.feedback_at, kept.feedback_at)
      }
    }
  })

  test('exactly one completes a record if each has another result', async () => {
    const aar_id = await aPendingRecord()
    const answers = await race((caller) =>
      client.post(`/v1/vat/aar/${aar_id}/complete`, { result: `result${caller}` }),
    )
    const [winner, ...more] = withStatus(answers, 200)
    assert.deepEqual(more, [])
    assert.deepEqual(await ok(client.get(`/v1/vat/aar/${aar_id}`)), winner?.body)
    const losers = withStatus(answers, 409)
    assert.equal(losers.length, CALLERS - 1)
    for (const { body } of losers) {
      assert.equal(body.code, 'record_closed')
      assert.equal(body.result, winner?.body.result)
    }
  })

  test('all succeed in completing a record with the same result, and it is completed once', async () => {
    const aar_id = await aPendingRecord()
    const before = await service.logSize()
    const answers = await race(() =>
      client.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success', spend_usd: 0.25 }),
    )
    for (const { status, body } of answers) {
      assert.equal(status, 200)
      assert.deepEqual(body, answers[0]?.body)
    }
    assert.equal(await service.logSize(), before + 1)
  })

  test('only completions or only cancellations succeed if half of the callers want each', async () => {
    const aar_id = await aPendingRecord()
    const answers = await race((caller) =>
      caller % 2 === 0
        ? client.post(`/v1/vat/aar/${aar_id}/complete`, { result: 'success' })
        : client.post(`/v1/vat/aar/${aar_id}/cancel`),
    )
    const winners = withStatus(answers, 200)
    assert.equal(winners.length, CALLERS / 2)
    assert.equal(new Set(winners.map(({ body }) => body.state)).size, 1)
    assert.equal(withStatus(answers, 409).length, CALLERS / 2)
  })

  test('one creates a record, and all get the same answer, if they share an Idempotency-Key', async () => {
    const vat_jti = await aToken()
    const before = await service.logSize()
    const answers = await race(() =>
      client.post('/v1/vat/record/action', anAction(vat_jti, { result: 'success' }), {
        'idempotency-key': 'race-record',
      }),
    )
    for (const { status, body } of answers) {
      assert.equal(status, 200)
      assert.deepEqual(body, answers[0]?.body)
    }
    assert.equal(
      answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length,
      CALLERS - 1,
    )
    assert.equal(await service.logSize(), before + 1)
  })

  test('one creates a token, and all get the same answer, if they share an Idempotency-Key', async () => {
    const before = await service.logSize()
    const answers = await race(() =>
      client.post('/v1/vat/issue/l1', anIssueRequest(), { 'idempotency-key': 'race-issue' }),
    )
    for (const { status, body } of answers) {
      assert.equal(status, 200)
      assert.deepEqual(body, answers[0]?.body)
    }
    assert.equal(await service.logSize(), before + 1)
  })

  test('exactly one uses an approval, and the others need a new one', async () => {
    const vat_jti = await aToken({ require_approval: { actions: ['read'] } })
    const { approval_id } = await ok(client.post('/v1/vat/authorize', anAction(vat_jti)))
    await ok(client.post(`/v1/vat/approvals/${approval_id}/approve`, {}))
    const answers = await race(() => client.post('/v1/vat/authorize', anAction(vat_jti, { approval_id })))
    const users = answers.filter(({ body }) => body.authorized === true)
    assert.equal(users.length, 1)
    const approval = await ok(client.get(`/v1/vat/approvals/${approval_id}`))
    assert.equal(approval.used_by, users[0]?.body.aar_id)
  })

  test('one gets an answer, and the others refusals, if they share a key for different requests', async () => {
    const vat_jti = await aToken()
    const answers = await race((caller) =>
      client.post('/v1/vat/authorize', anAction(vat_jti, { metadata: { caller } }), {
        'idempotency-key': 'race-mismatch',
      }),
    )
    assert.equal(withStatus(answers, 200).length, 1)
    assert.equal(withStatus(answers, 422).length, CALLERS - 1)
  })
})

describe(`${CALLERS} callers on one budget`, () => {
  const account = async (jti: string) => (await ok(client.get(`/v1/vat/tokens/${jti}`))).budget

  test('spend it to the last micro-dollar and no more', async () => {
    const jti = await aToken({ max_spend_usd: 0.000032 })
    const answers = await race(() =>
      client.post('/v1/vat/record/action', anAction(jti, { result: 'success', spend_usd: 0.000001 })),
    )
    assert.equal(withStatus(answers, 200).length, 32)
    for (const { body } of withStatus(answers, 403)) assert.deepEqual(body.reasons, ['budget_exceeded'])
    assert.deepEqual(await account(jti), {
      allocated_usd: 0.000032,
      spent_usd: 0.000032,
      reserved_usd: 0,
      remaining_usd: 0,
    })
  })

  test('stop before exceeding it, whether they spend or reserve', async () => {
    const jti = await aToken({ max_spend_usd: 1 })
    const answers = await race((caller) =>
      caller % 2 === 0
        ? client.post('/v1/vat/record/action', anAction(jti, { result: 'success', spend_usd: 0.03 }))
        : client.post('/v1/vat/authorize', anAction(jti, { spend_usd: 0.03 })),
    )
    const spent = answers.filter(({ body }) => body.recorded === true).length
    const reserved = answers.filter(({ body }) => body.authorized === true).length
    assert.equal(spent + reserved, 33)
    assert.deepEqual(await account(jti), {
      allocated_usd: 1,
      spent_usd: (spent * 3) / 100,
      reserved_usd: (reserved * 3) / 100,
      remaining_usd: 0.01,
    })
  })

  test('never reserve more than what remains while others release reservations', async () => {
    const jti = await aToken({ max_spend_usd: 0.5 })
    let isOver = false
    const watching = (async () => {
      while (!isOver) {
        const { allocated_usd, remaining_usd } = await account(jti)
        assert.ok(remaining_usd >= 0 && remaining_usd <= allocated_usd)
      }
    })()
    await race(async () => {
      const answer = await client.post('/v1/vat/authorize', anAction(jti, { spend_usd: 0.1 }))
      if (answer.body.authorized === true) await client.post(`/v1/vat/aar/${answer.body.aar_id}/cancel`)
      return answer
    })
    isOver = true
    await watching
    const { spent_usd, reserved_usd, remaining_usd } = await account(jti)
    assert.deepEqual(
      { spent_usd, reserved_usd, remaining_usd },
      { spent_usd: 0, reserved_usd: 0, remaining_usd: 0.5 },
    )
  })

  test('take as many actions as the token allows and no more', async () => {
    const jti = await aToken({ max_actions: 10 })
    const answers = await race((caller) =>
      caller % 2 === 0
        ? client.post('/v1/vat/record/action', anAction(jti, { result: 'success' }))
        : client.post('/v1/vat/authorize', anAction(jti)),
    )
    const taken = answers.filter(({ body }) => body.recorded === true || body.authorized === true)
    assert.equal(taken.length, 10)
    assert.equal((await ok(client.get(`/v1/vat/tokens/${jti}`))).total_actions, 10)
  })
})

describe('a revocation', () => {
  test('stops every action that starts after its answer, under heavy load', async () => {
    let allowed = 0
    let denied = 0
    for (let round = 0; round < 8; round++) {
      const jti = await aToken()
      let isRevoked = false
      let isOver = false
      const storm = Array.from({ length: 32 }, async (_, caller) => {
        while (!isOver) {
          const beganAfter = isRevoked
          const { status, body } =
            caller % 2 === 0
              ? await client.post('/v1/vat/authorize', anAction(jti))
              : await client.post('/v1/vat/record/action', anAction(jti, { result: 'success' }))
          const wasAllowed = body.authorized === true || body.recorded === true
          assert.ok(status === 200 || status === 403)
          assert.ok(!(beganAfter && wasAllowed), 'allowed after the revocation was answered')
          if (wasAllowed) allowed += 1
          if (beganAfter) denied += 1
        }
      })
      await eventually('actions before the revocation', () => allowed > 15 * (round + 1))
      await ok(client.post('/v1/vat/revoke', { vat_jti: jti }))
      isRevoked = true
      await eventually('attempts after the revocation', () => denied > 15 * (round + 1))
      isOver = true
      await Promise.all(storm)
    }
  })

  test(`is carried out once if ${CALLERS} callers request it`, async () => {
    const vat_jti = await aToken()
    const before = await service.logSize()
    const answers = await race((caller) => client.post('/v1/vat/revoke', { vat_jti, reason: `by ${caller}` }))
    assert.equal(withStatus(answers, 200).length, CALLERS)
    assert.equal(answers.filter(({ body }) => body.already_revoked === false).length, 1)
    assert.equal(new Set(answers.map(({ body }) => body.revoked_at)).size, 1)
    assert.equal(await service.logSize(), before + 1)
  })
})

test('after all races the log, the counters and the accounts agree with the records', async () => {
  assert.ok((await service.audit()) > 500)
})
