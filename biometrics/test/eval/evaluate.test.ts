import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { evaluateCaptures } from '../../src/eval/evaluate.ts'
import { writeExample } from '../../src/eval/write-example.ts'
import { anEnginePool } from '../pool/an-engine-pool.ts'

test('the example is judged, and shows no person', async (t) => {
  const folder = temporaryDirectory(t)
  writeExample(folder)
  const { engine } = await anEnginePool(t)
  const found = await evaluateCaptures(engine, folder, 1)
  assert.equal(found.captures, 1)
  assert.deepEqual([found.bpcer.events, found.bpcer.of, found.bpnrr.events], [1, 1, 0])
  assert.equal(found.results[0]?.decision, 'fail')
  assert.ok(found.results[0]?.reasons.includes('no_face'))
  assert.match(found.notice, /^Not tested to ISO\/IEC 30107-3/)
})
