import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { BatchFailureLog } from '../src/assembly/batch-failure-log.ts'

function aLog() {
  const lines: string[] = []
  const line = (about: { err?: Error; failed_batches?: number }, text: string) =>
    lines.push(`${text.split(':')[0]} (${about.err?.message ?? ''}, ${about.failed_batches})`)
  const clock = manualClock(0)
  return { lines, clock, log: new BatchFailureLog({ error: line, warn: line }, clock) }
}

describe('the log of failed batches', () => {
  test('has a line for the first failure, for each new reason, and every minute, with the number of batches', () => {
    const { lines, clock, log } = aLog()
    for (let failed = 0; failed < 1_000; failed += 1) log.onFailure(new Error('the disk is full'))
    assert.deepEqual(lines.splice(0), ['batch failed (the disk is full, 1)'])
    log.onFailure(new Error('the disk is gone'))
    assert.deepEqual(lines.splice(0), ['batch failed (the disk is gone, 1001)'])
    clock.advance(59_999)
    log.onFailure(new Error('the disk is gone'))
    assert.deepEqual(lines, [])
    clock.advance(1)
    log.onFailure(new Error('the disk is gone'))
    assert.deepEqual(lines, ['batch failed (the disk is gone, 1003)'])
  })

  test('reports once that the store accepts changes again, and starts over at the next failure', () => {
    const { lines, log } = aLog()
    log.onSuccess()
    log.onFailure(new Error('the disk is full'))
    log.onSuccess()
    log.onSuccess()
    log.onFailure(new Error('the disk is full'))
    assert.deepEqual(lines, [
      'batch failed (the disk is full, 1)',
      'the store accepts changes again (, 1)',
      'batch failed (the disk is full, 1)',
    ])
  })
})
