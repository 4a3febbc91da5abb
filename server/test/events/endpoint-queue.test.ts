import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type DeliveryTask,
  EndpointQueue,
  MOST_WAITING,
  type QueuedEvent,
} from '../../src/events/delivery/endpoint-queue.ts'
import type { DeliveryOutcome } from '../../src/events/delivery/port.ts'
import { FAILING_LIMIT_MS, RETRY_AFTER_MS } from '../../src/events/delivery/schedule.ts'

type Queue = EndpointQueue<string>

const HOUR_MS = 3_600_000
const DELIVERED: DeliveryOutcome = { outcome: 'delivered', status: 200 }
const FAILED: DeliveryOutcome = { outcome: 'retry', error: 'the receiver answered 500', status: 500 }

function aQueue(next_index = 0): Queue {
  return new EndpointQueue({ next_index, failing_since_ms: undefined, disabled: undefined }, [])
}

/** `w1:5` is the event at index 5 in lane w1. */
function events(...names: string[]): QueuedEvent<string>[] {
  return names.map((name) => {
    const [lane = '', index = ''] = name.split(':')
    return { log_index: Number(index), lane, event: name }
  })
}

/** Returns all deliveries that may start now, without settling them. */
function started(queue: Queue, now_ms = 0): DeliveryTask<string>[] {
  const tasks: DeliveryTask<string>[] = []
  for (let task = next(queue, now_ms); task !== undefined; task = next(queue, now_ms)) tasks.push(task)
  return tasks
}

function next(queue: Queue, now_ms: number): DeliveryTask<string> | undefined {
  const task = queue.next(now_ms)
  assert.notEqual(task, 'later')
  return task === 'later' ? undefined : task
}

function settle(queue: Queue, task: DeliveryTask<string> | undefined, result: DeliveryOutcome, now_ms = 0) {
  assert.ok(task)
  return queue.settle(task, { result, now_ms, took_ms: 1, random: 0 })
}

function indexes(tasks: readonly DeliveryTask<string>[]): number[] {
  return tasks.map(({ log_index }) => log_index)
}

describe('the queue of an endpoint', () => {
  test('sends one event of a workflow at a time, and workflows in parallel', () => {
    const queue = aQueue()
    queue.offer(events('a:1', 'a:2', 'b:3', 'a:4', 'c:5'), 6)
    const first = started(queue)
    assert.deepEqual(indexes(first), [1, 3, 5])
    settle(queue, first[0], DELIVERED)
    assert.deepEqual(indexes(started(queue)), [2])
  })

  test('moves the cursor only past settled deliveries', () => {
    const queue = aQueue()
    queue.offer(events('a:1', 'b:2', 'c:3'), 9)
    const [one, two, three] = started(queue)
    settle(queue, two, DELIVERED)
    settle(queue, three, DELIVERED)
    assert.equal(queue.takeProgress()?.next_index, 1)
    settle(queue, one, DELIVERED)
    const progress = queue.takeProgress()
    assert.deepEqual([progress?.next_index, progress?.rows.map(({ state }) => state)], [9, ['delivered']])
  })

  test('moves the cursor and the row of a failed delivery together', () => {
    const queue = aQueue()
    queue.offer(events('a:1'), 2)
    settle(queue, next(queue, 0), FAILED, 100)
    const progress = queue.takeProgress()
    assert.equal(progress?.next_index, 2)
    assert.equal(progress?.failing_since_ms, 100)
    assert.deepEqual(
      progress?.rows.map(({ log_index, state, attempts, next_at_ms, status }) => [
        log_index,
        state,
        attempts,
        next_at_ms,
        status,
      ]),
      [[1, 'waiting', 1, 100 + (RETRY_AFTER_MS[0] ?? 0), 500]],
    )
  })

  test('offers unsaved progress again, but never an older row over a newer one', () => {
    const queue = aQueue()
    queue.offer(events('a:1', 'b:2'), 3)
    const [one, two] = started(queue)
    settle(queue, one, FAILED)
    const lost = queue.takeProgress()
    assert.ok(lost)
    settle(queue, two, DELIVERED)
    settle(queue, next(queue, 5_000), DELIVERED, 5_000)
    queue.unsaved(lost)
    const progress = queue.takeProgress()
    assert.deepEqual(progress?.rows.map(({ log_index, state }) => [log_index, state]).sort(), [
      [1, 'delivered'],
      [2, 'delivered'],
    ])
  })

  test('keeps a workflow in order while one of its events fails, and does not delay other workflows', () => {
    const queue = aQueue()
    queue.offer(events('a:1', 'a:2', 'b:3'), 4)
    const [one, three] = started(queue)
    settle(queue, three, DELIVERED)
    settle(queue, one, FAILED)
    assert.deepEqual(indexes(started(queue)), [])
    queue.offer(events('a:4', 'b:5'), 6)
    const [five] = started(queue)
    assert.equal(five?.log_index, 5)
    settle(queue, five, DELIVERED)
    assert.equal(queue.takeProgress()?.next_index, 6)
    const order: number[] = []
    for (let task = next(queue, 5_000); task !== undefined; task = next(queue, 5_000)) {
      order.push(task.log_index)
      settle(queue, task, DELIVERED, 5_000)
    }
    assert.deepEqual(order, [1, 2, 4])
  })

  test('continues after a restart from the cursor and the waiting rows', () => {
    const waiting = [1, 2].map((log_index) => ({
      log_index,
      lane: 'a',
      attempts: 1,
      first_at_ms: 0,
      last_at_ms: 0,
      next_at_ms: 10,
    }))
    const queue = new EndpointQueue<string>(
      { next_index: 7, failing_since_ms: 0, disabled: undefined },
      waiting,
    )
    assert.equal(queue.read_index, 7)
    assert.equal(next(queue, 9), undefined)
    assert.deepEqual(indexes(started(queue, 10)), [1])
  })

  test('leaves a waiting row as it is if it reads its event again', () => {
    const row = { log_index: 8, lane: 'a', attempts: 3, first_at_ms: 0, last_at_ms: 0, next_at_ms: HOUR_MS }
    const queue = new EndpointQueue<string>(
      { next_index: 7, failing_since_ms: undefined, disabled: undefined },
      [row],
    )
    queue.offer(events('b:7', 'a:8', 'a:9'), 10)
    const [slow] = started(queue)
    assert.equal(slow?.log_index, 7)
    settle(queue, slow, DELIVERED)
    assert.deepEqual(
      queue.takeProgress()?.rows.map(({ log_index }) => log_index),
      [9, 7],
    )
    assert.equal(next(queue, HOUR_MS)?.attempts, 3)
  })

  test('sends everything that waits once the endpoint is back, also if it came back after a restart', () => {
    const waiting = [1, 2].map((log_index) => ({
      log_index,
      lane: `w${log_index}`,
      attempts: 8,
      first_at_ms: 0,
      last_at_ms: 0,
      next_at_ms: 24 * HOUR_MS,
    }))
    const queue = new EndpointQueue<string>(
      { next_index: 7, failing_since_ms: 0, disabled: undefined },
      waiting,
    )
    queue.offer(events('new:7'), 8)
    const [first] = started(queue, HOUR_MS)
    assert.equal(first?.log_index, 7)
    settle(queue, first, DELIVERED, HOUR_MS)
    assert.deepEqual(indexes(started(queue, HOUR_MS)), [1, 2])
  })

  test('retries on schedule, or later if the receiver asks for it', () => {
    const queue = aQueue()
    queue.offer(events('a:1'), 2)
    let now_ms = 0
    let task = next(queue, now_ms)
    for (const pause_ms of RETRY_AFTER_MS.slice(0, 5)) {
      settle(queue, task, FAILED, now_ms)
      assert.equal(next(queue, now_ms + pause_ms - 1), undefined)
      now_ms += pause_ms
      task = next(queue, now_ms)
    }
    settle(queue, task, { ...FAILED, after_ms: 20 * HOUR_MS }, now_ms)
    assert.equal(next(queue, now_ms + 20 * HOUR_MS - 1), undefined)
    assert.ok(next(queue, now_ms + 20 * HOUR_MS))
  })

  test('gives up on an event after the last retry only if the endpoint accepts others', () => {
    for (const acceptsOthers of [true, false]) {
      const queue = aQueue()
      queue.offer(events('bad:1'), 2)
      let now_ms = 0
      let index = 2
      let task = next(queue, now_ms)
      for (let attempt = 0; attempt <= RETRY_AFTER_MS.length; attempt++) {
        settle(queue, task, FAILED, now_ms)
        if (acceptsOthers) {
          queue.offer(events(`good:${index}`), index + 1)
          index += 1
          settle(queue, next(queue, now_ms), DELIVERED, now_ms + 1)
        }
        now_ms += RETRY_AFTER_MS[attempt] ?? 0
        task = next(queue, now_ms)
      }
      const row = queue.takeProgress()?.rows.find(({ log_index }) => log_index === 1)
      assert.equal(row?.state, acceptsOthers ? 'failed' : 'waiting')
    }
  })

  test('gives up on an event that waited behind others only if the endpoint accepts others once it was tried', () => {
    const queue = aQueue()
    queue.offer(events('bad:1', 'bad:2'), 3)
    settle(queue, next(queue, 0), FAILED, 0)
    assert.equal(next(queue, 0), undefined)
    queue.offer(events('good:3'), 4)
    settle(queue, next(queue, 1), DELIVERED, 1)
    let now_ms = HOUR_MS
    settle(queue, next(queue, now_ms), { outcome: 'refused', error: 'no' }, now_ms)
    for (let attempt = 0; attempt <= RETRY_AFTER_MS.length; attempt++) {
      settle(queue, next(queue, now_ms), FAILED, now_ms)
      now_ms += RETRY_AFTER_MS[attempt] ?? 0
    }
    const row = queue.takeProgress()?.rows.find(({ log_index }) => log_index === 2)
    assert.deepEqual([row?.state, row?.first_at_ms], ['waiting', HOUR_MS])
  })

  test('makes one attempt at a time while the endpoint fails, and all once it is back', () => {
    const queue = aQueue()
    queue.offer(events('a:1', 'b:2', 'c:3', 'd:4', 'e:5', 'f:6'), 7)
    const tasks = [next(queue, 0), next(queue, 0), next(queue, 0)]
    for (const task of tasks) settle(queue, task, FAILED)
    assert.equal(next(queue, 0), undefined, 'the endpoint is down')
    assert.equal(queue.room, 0)
    const [probe, second] = started(queue, 5_000)
    assert.deepEqual([probe?.log_index, second], [1, undefined])
    settle(queue, probe, DELIVERED, 5_001)
    assert.deepEqual(indexes(started(queue, 5_001)).sort(), [2, 3, 4, 5, 6])
  })

  test('tries a new event now and then if only some workflows fail', () => {
    const queue = aQueue()
    queue.offer(events('a:1', 'b:2', 'c:3'), 4)
    for (const task of started(queue)) settle(queue, task, FAILED)
    for (const now_ms of [5_000, 5_000, 5_000]) settle(queue, next(queue, now_ms), FAILED, now_ms)
    queue.offer(events('good:4'), 5)
    const task = next(queue, 34_999)
    assert.equal(task, undefined)
    const due = started(queue, 35_000)
    assert.equal(due.length, 1)
    settle(queue, due[0], FAILED, 35_000)
    for (let index = 0; index < 2; index++) settle(queue, next(queue, 35_000), FAILED, 35_000)
    assert.equal(next(queue, 65_000)?.log_index, 4)
  })

  test('asks to disable an endpoint that accepted nothing for three days, and one that is gone', () => {
    const queue = aQueue()
    queue.offer(events('a:1'), 2)
    assert.equal(settle(queue, next(queue, 0), FAILED, 0), 'goes_on')
    const late = next(queue, FAILING_LIMIT_MS)
    assert.equal(settle(queue, late, FAILED, FAILING_LIMIT_MS), 'failing')
    const other = aQueue()
    other.offer(events('a:1'), 2)
    assert.equal(settle(other, next(other, 0), { outcome: 'gone', status: 410 }), 'gone')
    assert.equal(other.takeProgress()?.rows[0]?.state, 'waiting', 'nothing is lost if it is enabled again')
  })

  test('does not disable an endpoint for the time in which the service did not try it', () => {
    const waiting = {
      log_index: 1,
      lane: 'a',
      attempts: 1,
      first_at_ms: 0,
      last_at_ms: 0,
      next_at_ms: 5_000,
    }
    const queue = new EndpointQueue<string>({ next_index: 2, failing_since_ms: 0, disabled: undefined }, [
      waiting,
    ])
    let now_ms = 2 * FAILING_LIMIT_MS
    assert.equal(settle(queue, next(queue, now_ms), FAILED, now_ms), 'goes_on', 'the service was down')
    now_ms += HOUR_MS
    assert.equal(settle(queue, next(queue, now_ms), FAILED, now_ms), 'failing')
  })

  test('holds back an event without counting a failure', () => {
    const queue = aQueue()
    queue.offer(events('a:1'), 2)
    settle(queue, next(queue, 0), { outcome: 'hold', for_ms: 1_000 }, 0)
    const [row] = queue.takeProgress()?.rows ?? []
    assert.deepEqual([row?.state, row?.attempts], ['waiting', 0])
    assert.equal(next(queue, 999), undefined)
    assert.equal(next(queue, 1_000)?.attempts, 0)
  })

  test('reads no more while too much is waiting, however long a workflow fails', () => {
    const queue = aQueue()
    queue.offer(events('bad:0'), 1)
    settle(queue, next(queue, 0), FAILED)
    let index = 1
    while (queue.room > 0) {
      queue.offer(events(`bad:${index}`), index + 1)
      index += 1
      next(queue, 0)
      const progress = queue.takeProgress()
      if (progress !== undefined) queue.saved(progress)
    }
    assert.equal(index, MOST_WAITING)
  })

  test('starts nothing while it must wait, and then continues with the same event', () => {
    const queue = aQueue()
    queue.offer(events('a:1'), 2)
    assert.equal(
      queue.next(0, () => false),
      'later',
    )
    assert.equal(queue.in_flight, 0)
    assert.equal(next(queue, 0)?.log_index, 1)
  })
})
