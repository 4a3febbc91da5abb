import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type ClerkOptions, openClerk } from '../../src/clerk/clerk.ts'
import type { Command } from '../../src/clerk/command.ts'
import type { BatchResult } from '../../src/clerk/run-batch.ts'

const OPTIONS: ClerkOptions = { queue_limit: 100, batch_limit: 10, batches_in_flight: 1 }
const cancel = (aar_id: string): Command => ({ kind: 'cancel', aar_id, evidence: 'self_reported' })
const revoke: Command = { kind: 'revoke', vat_jti: 'x', reason: undefined }

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

describe('the clerk', () => {
  test('puts all commands of one turn into one batch', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    const answers = ['a', 'b', 'c'].map((id) => clerk.submit(cancel(id)))
    await nextTurn()
    assert.deepEqual(
      batches.map(({ commands }) => commands.length),
      [3],
    )
    batches[0]?.succeed()
    assert.deepEqual(
      (await Promise.all(answers)).map(({ outcome }) => outcome),
      ['a', 'b', 'c'].map(cancel),
    )
  })

  test('answers nothing before the batch is durable', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    let isAnswered = false
    const answer = clerk.submit(cancel('a')).then(() => {
      isAnswered = true
    })
    await nextTurn()
    await nextTurn()
    assert.equal(isAnswered, false)
    batches[0]?.succeed()
    await answer
    assert.equal(isAnswered, true)
  })

  test('collects the next batch while one is in flight, revocations first', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    void clerk.submit(cancel('a'))
    await nextTurn()
    for (const command of [cancel('b'), cancel('c'), revoke]) void clerk.submit(command)
    await nextTurn()
    assert.equal(batches.length, 1)
    batches[0]?.succeed()
    await nextTurn()
    await nextTurn()
    assert.deepEqual(
      batches[1]?.commands.map(({ kind }) => kind),
      ['revoke', 'cancel', 'cancel'],
    )
  })

  test("fails the whole batch if it can't be made durable, and continues with the next", async () => {
    const { batches, execute } = aSlowDisk()
    const failures: unknown[] = []
    const clerk = openClerk(execute, { ...OPTIONS, onFailure: (error) => failures.push(error) })
    const lost = [clerk.submit(cancel('a')), clerk.submit(cancel('b'))]
    await nextTurn()
    batches[0]?.fail()
    for (const { status, ...rest } of await Promise.allSettled(lost)) {
      assert.equal(status, 'rejected')
      assert.equal('reason' in rest && rest.reason.code, 'storage_unavailable')
    }
    assert.deepEqual([clerk.isHealthy(), failures.length], [false, 1])
    const kept = clerk.submit(cancel('c'))
    await nextTurn()
    batches[1]?.succeed()
    await kept
    assert.equal(clerk.isHealthy(), true)
  })

  test('does not turn healthy after a batch that wrote nothing', async () => {
    const { batches, execute } = aSlowDisk(false)
    const clerk = openClerk(execute, OPTIONS)
    const lost = assert.rejects(clerk.submit(cancel('a')))
    await nextTurn()
    batches[0]?.fail()
    await lost
    const refused = clerk.submit(cancel('b'))
    await nextTurn()
    batches[1]?.succeed()
    await refused
    assert.equal(clerk.isHealthy(), false)
  })

  test('rejects commands when its queue is full, but never a revocation', async () => {
    const { execute } = aSlowDisk()
    const clerk = openClerk(execute, { ...OPTIONS, queue_limit: 2 })
    void clerk.submit(cancel('a'))
    await nextTurn()
    void clerk.submit(cancel('b'))
    void clerk.submit(cancel('c'))
    await assert.rejects(clerk.submit(cancel('d')), { code: 'overloaded' })
    void clerk.submit(revoke)
    assert.equal(clerk.waiting(), 3)
  })

  test('finishes accepted commands before it ends, and rejects new ones', async () => {
    const { batches, execute } = aSlowDisk()
    const clerk = openClerk(execute, OPTIONS)
    const answer = clerk.submit(cancel('a'))
    const drained = clerk.drain()
    await assert.rejects(clerk.submit(cancel('b')), { code: 'shutting_down' })
    await nextTurn()
    batches[0]?.succeed()
    await Promise.all([answer, drained])
  })
})
