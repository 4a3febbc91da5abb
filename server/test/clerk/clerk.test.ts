import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ClerkOptions, openClerk } from '../../src/clerk/clerk.ts'
import type { Command, RateCommand, RevokeCommand } from '../../src/clerk/command.ts'
import type { BatchResult } from '../../src/clerk/run-batch.ts'

const OPTIONS: ClerkOptions = { queue_limit: 100, batch_limit: 10, batches_in_flight: 1 }
const rate = (aar_id: string): RateCommand => ({
  kind: 'rate',
  aar_id,
  rating: 'approved',
  note: undefined,
  rater_assurance: 'L1',
})
const revoke: RevokeCommand = { kind: 'revoke', vat_jti: 'x', reason: undefined }

const many = (count: number): Command => ({
  kind: 'many',
  items: Array.from({ length: count }, (_, n) => rate(String(n))),
})

/** A store whose commits the test completes one by one. */
function aSlowDisk(wrote = true) {
  const batches: { commands: readonly Command[]; succeed(): void; fail(): void }[] = []
  const execute = (commands: readonly Command[]) =>
    new Promise<BatchResult>((resolve, reject) => {
      batches.push({
        commands,
        succeed: () => resolve({ replies: commands.map((command) => ({ outcome: command })), wrote }),
        fail: () => reject(new Error('disk')),
      })
    })
  return { batches, execute }
}

const kindsIn = (batches: readonly { readonly commands: readonly Command[] }[]) =>
  batches.map(({ commands }) => commands.map(({ kind }) => kind))

describe('the clerk', () => {
  test('puts all commands of one turn into one batch', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    const answers = ['a', 'b', 'c'].map((id) => clerk.submit(rate(id)))
    await nextTurn()
    assert.deepEqual(
      batches.map(({ commands }) => commands.length),
      [3],
    )
    batches[0]?.succeed()
    assert.deepEqual(
      (await Promise.all(answers)).map(({ outcome }) => outcome),
      ['a', 'b', 'c'].map(rate),
    )
  })

  test('hands over a batch within the turn once it has enough items', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, closes_at: 2, batches_in_flight: 2 })
    for (const id of 'abcde') void clerk.submit(rate(id))
    assert.deepEqual(
      batches.map(({ commands }) => commands.length),
      [2, 2],
    )
    await nextTurn()
    assert.equal(batches.length, 2, 'no more than two are in flight')
    batches[0]?.succeed()
    await nextTurn()
    await nextTurn()
    assert.equal(batches[2]?.commands.length, 1)
  })

  test('gives a probe of this node its own batch, so that no other command waits or fails with it', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, batches_in_flight: 2 })
    const before = clerk.submit(rate('a'))
    const probed = clerk.submit({ kind: 'probe', is_own: true })
    const after = clerk.submit(rate('b'))
    await nextTurn()
    const [probe, others] = batches
    assert.deepEqual(kindsIn(batches), [['probe'], ['rate', 'rate']])
    others?.succeed()
    await Promise.all([before, after])
    probe?.fail()
    await assert.rejects(probed)
    assert.equal(clerk.fault(), 'storage_unavailable')
  })

  test('replies only after the batch is durable', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    let isAnswered = false
    const answer = clerk.submit(rate('a')).then(() => {
      isAnswered = true
    })
    await nextTurn()
    await nextTurn()
    assert.equal(isAnswered, false)
    batches[0]?.succeed()
    await answer
    assert.equal(isAnswered, true)
  })

  test('collects the next batch while one is in flight, but sends revocations at once', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    void clerk.submit(rate('a'))
    await nextTurn()
    for (const command of [rate('b'), rate('c'), revoke]) void clerk.submit(command)
    await nextTurn()
    assert.deepEqual(kindsIn(batches), [['rate'], ['revoke']], 'it does not wait for the batch in flight')
    batches[0]?.succeed()
    batches[1]?.succeed()
    await nextTurn()
    await nextTurn()
    assert.deepEqual(kindsIn(batches).at(-1), ['rate', 'rate'])
  })

  test('weighs commands by their items: a queue of ten has room for ten items, in batches of ten', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, queue_limit: 20 })
    for (let n = 0; n < 4; n++) void clerk.submit(many(6))
    assert.equal(clerk.waiting(), 24)
    await assert.rejects(clerk.submit(rate('late')), { code: 'overloaded' })
    await nextTurn()
    assert.deepEqual(kindsIn(batches), [['many']], 'two of six do not fit into one batch')
    void clerk.submit({ kind: 'many', items: [rate('a'), revoke] })
    await nextTurn()
    assert.equal(batches.length, 1, 'a list that holds something else waits its turn')
    void clerk.submit({ kind: 'many', items: [revoke, revoke] })
    await nextTurn()
    assert.equal(batches.length, 2, 'a list of revocations goes ahead')
  })

  test('drops a command that waited too long and whose caller has left, unless it is a stop', async () => {
    let now_ms = 0
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, steadyClock: () => now_ms })
    const callerLeft = () => true
    const prompt = clerk.submit(rate('prompt'), undefined, callerLeft)
    await nextTurn()
    const late = clerk.submit(rate('late'), undefined, callerLeft)
    const awaited = clerk.submit(rate('awaited'), undefined, () => false)
    const dropped = assert.rejects(late, { code: 'overloaded' })
    now_ms = 1_000
    batches[0]?.succeed()
    await prompt
    await nextTurn()
    const stop = clerk.submit(revoke, undefined, callerLeft)
    await nextTurn()
    for (const { succeed } of batches) succeed()
    await Promise.all([dropped, awaited, stop])
    assert.deepEqual(
      batches.map(({ commands }) => commands.length),
      [1, 1, 1],
    )
    await clerk.drain()
  })

  test('is drained even if the last commands are dropped', async () => {
    let now_ms = 0
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, steadyClock: () => now_ms })
    void clerk.submit(rate('a'))
    await nextTurn()
    const late = assert.rejects(clerk.submit(rate('late'), undefined, () => true))
    now_ms = 1_000
    const drained = clerk.drain()
    batches[0]?.succeed()
    await Promise.all([late, drained])
  })

  test('expects a wait that grows with the work in progress and shrinks as commits get faster', async () => {
    let now_ms = 0
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, queue_limit: 10_000, steadyClock: () => now_ms })
    assert.equal(clerk.expectedWaitMs(), 0)
    for (let n = 0; n < 50; n++) void clerk.submit(many(10))
    for (let commits = 0; commits < 10; commits++) {
      await nextTurn()
      now_ms += 50 // ten items in 50 ms
      batches[commits]?.succeed()
      await nextTurn()
    }
    assert.ok(
      Math.abs(clerk.expectedWaitMs() - 2_000) < 600,
      `${clerk.expectedWaitMs()} for 400 items at 0.2 a ms`,
    )
    for (let n = 0; n < 40; n++) void clerk.submit(many(10))
    assert.ok(clerk.expectedWaitMs() > 3_400)
  })

  test('expects no wait for a sweep', async () => {
    let now_ms = 0
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, queue_limit: 10_000, steadyClock: () => now_ms })
    void clerk.submit(many(1_000))
    await nextTurn()
    now_ms += 200
    batches[0]?.succeed()
    await nextTurn()
    void clerk.submit({ kind: 'sweep', limit: 1_000 })
    assert.equal(clerk.expectedWaitMs(), 0)
    void clerk.submit(many(1_000))
    assert.ok(clerk.expectedWaitMs() > 150)
  })

  test('accepts only the stop lane while the clock is wrong', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, {
      ...OPTIONS,
      batches_in_flight: 2,
      clockFault: () => 'it jumped',
    })
    await assert.rejects(clerk.submit(rate('a')), { code: 'clock_jumped', message: 'it jumped' })
    await assert.rejects(clerk.submit({ kind: 'sweep', limit: 500 }), { code: 'clock_jumped' })
    const commands: Command[] = [revoke, { kind: 'probe' }]
    const answers = commands.map((command) => clerk.submit(command))
    void clerk.submit(rate('b'), 'stop')
    await nextTurn()
    for (const { succeed } of batches) succeed()
    await Promise.all(answers)
    assert.deepEqual(kindsIn(batches), [['revoke', 'rate'], ['probe']])
  })

  test("fails the whole batch if it can't be made durable, and continues with the next", async () => {
    const { batches, execute } = aSlowDisk()
    const failures: unknown[] = []
    const clerk = openClerk(execute, { ...OPTIONS, onFailure: (error) => failures.push(error) })
    const lost = [clerk.submit(rate('a')), clerk.submit(rate('b'))]
    await nextTurn()
    batches[0]?.fail()
    for (const { status, ...rest } of await Promise.allSettled(lost)) {
      assert.equal(status, 'rejected')
      assert.equal('reason' in rest && rest.reason.code, 'storage_unavailable')
    }
    assert.deepEqual([clerk.fault(), failures.length], ['storage_unavailable', 1])
    const kept = clerk.submit(rate('c'))
    await nextTurn()
    batches[1]?.succeed()
    await kept
    assert.equal(clerk.fault(), undefined)
  })

  test('does not become healthy after a batch that wrote nothing', async () => {
    const { batches, execute } = aSlowDisk(false)
    const clerk = openClerk(execute, OPTIONS)
    const lost = assert.rejects(clerk.submit(rate('a')))
    await nextTurn()
    batches[0]?.fail()
    await lost
    const refused = clerk.submit(rate('b'))
    await nextTurn()
    batches[1]?.succeed()
    await refused
    assert.equal(clerk.fault(), 'storage_unavailable')
  })

  test('rejects commands when its queue is full, but never a revocation', async () => {
    const { execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, queue_limit: 2 })
    void clerk.submit(rate('a'))
    await nextTurn()
    void clerk.submit(rate('b'))
    void clerk.submit(rate('c'))
    await assert.rejects(clerk.submit(rate('d')), { code: 'overloaded' })
    void clerk.submit(revoke)
    assert.equal(clerk.waiting(), 3)
  })

  test('finishes accepted commands before it ends, and rejects new ones', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    const answer = clerk.submit(rate('a'))
    const drained = clerk.drain()
    await assert.rejects(clerk.submit(rate('b')), { code: 'shutting_down' })
    await nextTurn()
    batches[0]?.succeed()
    await Promise.all([answer, drained])
  })
})
