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
  assert.equal(compared, 144)
})
