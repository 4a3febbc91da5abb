import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Breaker } from '../../src/pool/breaker.ts'

describe("the pool's breaker", () => {
  test('opens after consecutive crashes by several callers, and closes again', () => {
    const breaker = new Breaker()
    for (let crash = 0; crash < 6; crash += 1) breaker.crashed(`caller ${crash % 2}`, 1_000)
    assert.equal(breaker.waitMs(1_000), 30_000)
    assert.equal(breaker.waitMs(31_000), 0)
  })

  test('is never opened by a single caller', () => {
    const breaker = new Breaker()
    for (let crash = 0; crash < 100; crash += 1) breaker.crashed('caller', 1_000)
    assert.equal(breaker.waitMs(1_000), 0)
  })

  test('restarts its count after an analysed step', () => {
    const breaker = new Breaker()
    for (let crash = 0; crash < 100; crash += 1) {
      breaker.crashed(`caller ${crash % 2}`, 1_000)
      if (crash % 5 === 4) breaker.succeeded()
    }
    assert.equal(breaker.waitMs(1_000), 0)
  })

  test('opens after two processes fail to start', () => {
    const breaker = new Breaker()
    breaker.failedToStart(1_000)
    assert.equal(breaker.waitMs(1_000), 0)
    breaker.failedToStart(1_000)
    assert.ok(breaker.waitMs(1_000) > 0)
  })
})
