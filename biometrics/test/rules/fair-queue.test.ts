import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FairQueue } from '../../src/pool/fair-queue.ts'

const step = (caller: string) => ({ caller })

describe('the queue of steps', () => {
  test('a caller cannot exceed its share, while others are still admitted', () => {
    const queue = new FairQueue(8, 2)
    queue.add(step('a'))
    queue.take()
    queue.add(step('a'))
    assert.equal(queue.admits('a'), false)
    assert.equal(queue.admits('b'), true)
  })

  test('a full queue admits no caller', () => {
    const queue = new FairQueue(2, 2)
    queue.add(step('a'))
    queue.add(step('b'))
    assert.equal(queue.admits('c'), false)
  })

  test('a caller with nothing running goes first', () => {
    const queue = new FairQueue(8, 8)
    const [first, second, other] = [step('a'), step('a'), step('b')]
    for (const item of [first, second, other]) queue.add(item)
    assert.equal(queue.take(), first)
    assert.equal(queue.take(), other)
    assert.equal(queue.take(), second)
    assert.equal(queue.take(), undefined)
  })

  test('an item that was put back is next, and counts once', () => {
    const queue = new FairQueue(8, 8)
    const [first, second] = [step('a'), step('b')]
    queue.add(first)
    queue.add(second)
    queue.take()
    queue.putBack(first)
    assert.deepEqual([queue.waiting, queue.running], [2, 0])
    assert.equal(queue.take(), first)
  })

  test('a removed item frees its place, whether it waited or ran', () => {
    const queue = new FairQueue(1, 1)
    const item = step('a')
    queue.add(item)
    queue.take()
    queue.remove(item)
    assert.equal(queue.admits('a'), true)
    queue.add(item)
    queue.remove(item)
    assert.deepEqual([queue.waiting, queue.running], [0, 0])
  })
})
