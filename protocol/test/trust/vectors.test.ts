import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { ATrustLog } from './a-trust-log.ts'

const LOGS = JSON.parse(
  readFileSync(new URL('../../../vectors/trust/random-logs.json', import.meta.url), 'utf8'),
)

test('the scores of the vectors follow from their logs', () => {
  let compared = 0
  for (const { leaves, scores } of LOGS) {
    const log = ATrustLog.of(leaves)
    for (const { subject, options, answer } of scores) {
      assert.deepEqual(log.score(subject, options), answer)
      compared += 1
    }
  }
  assert.equal(compared, 146)
})

test('the vectors contain every way in which a vouch or a verification ends', () => {
  const valuesOf = (type: string, member: string) =>
    new Set(
      LOGS.flatMap(({ leaves }: { leaves: Record<string, unknown>[] }) =>
        leaves.filter((leaf) => leaf.type === type && member in leaf).map((leaf) => leaf[member]),
      ),
    )
  assert.deepEqual(
    valuesOf('vouch.withdrawn', 'by'),
    new Set(['person', 'operator', 'own_agent', 'same_person']),
  )
  assert.deepEqual(valuesOf('registry.changed', 'withdraws'), new Set(['L2', 'L3']))
})
