import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AuthorityError } from '@deputize/protocol'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { TroubleLog } from '../src/assembly/trouble-log.ts'
import { refusingWhenAway } from '../src/store/postgres/availability.ts'

test('a failure repeated every second is one line a minute, with its count and the cause of a refusal', async () => {
  const lines: string[] = []
  const clock = manualClock(0)
  const { onTrouble } = new TroubleLog((about, text) => {
    const { err, failed } = about as { err: Error; failed: number } // what the class writes
    lines.push(`${text} (${err.message}, ${failed})`)
  }, clock)
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const reader = refusingWhenAway({ head: () => Promise.reject(away) }, () => {})
  const fail = async (what: string) => {
    const refusal = await reader.head().catch((cause: unknown) => cause)
    assert.ok(refusal instanceof AuthorityError && refusal.code === 'storage_unavailable')
    onTrouble(refusal, what)
  }
  for (let second = 0; second < 60; second += 1) {
    for (const what of ['scores not kept', 'messages not sent']) await fail(what)
    clock.advance(1_000)
  }
  assert.deepEqual(lines.splice(0), [
    'scores not kept (connect ECONNREFUSED, 1)',
    'messages not sent (connect ECONNREFUSED, 1)',
  ])
  await fail('scores not kept')
  onTrouble(new AuthorityError('storage_full', 'Free space.'), 'scores not kept')
  assert.deepEqual(lines, ['scores not kept (connect ECONNREFUSED, 60)', 'scores not kept (Free space., 1)'])
})
