import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { EngineError, type EngineEvent } from '../../src/contract.ts'
import { launch } from '../../src/pool/start-process.ts'
import { aFrame, anEnginePool, aStep, type EnginePool, isRunning, outcomeOf } from './an-engine-pool.ts'

const CANARY = 'canary-of-the-service'

describe('a judging process', () => {
  test('can write nothing, read only the code and the pack, and start nothing', async (t) => {
    const place = temporaryDirectory(t)
    writeFileSync(`${place}/keys.json`, CANARY)
    process.env.DEPUTY_TEST_CANARY = CANARY
    const child = launch(await anEngine(), fileURLToPath(new URL('./probe-process.ts', import.meta.url)))
    const answer = new Promise((resolve) => child.once('message', resolve))
    child.send(place)
    const { possible, environment, has_proto } = Object(await answer)
    delete process.env.DEPUTY_TEST_CANARY
    assert.deepEqual(possible, [])
    assert.equal(has_proto, false)
    assert.deepEqual(
      environment.filter((name: string) => !/^NODE_CHANNEL_|^(PWD|OLDPWD|SHLVL|_)$/.test(name)),
      [],
    )
  })
})

describe('one engine', () => {
  let pool: EnginePool
  let pid: number
  after(() => pool.engine.close())
  before(async () => {
    process.env.DEPUTY_TEST_CANARY = CANARY
    pool = await anEnginePool({ after() {} }, { queue_limit: 3, caller_limit: 2, deadline_ms: 60_000 })
    pid = await pool.warm()
    delete process.env.DEPUTY_TEST_CANARY
  })

  test("runs at low priority, without core dumps, files or the service's secrets", () => {
    assert.equal(getPriority(pid), 5)
    assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'latin1'), new RegExp(CANARY))
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    assert.match(limits, /^Max core file size +0 +0 /m)
    assert.match(limits, /^Max file size +0 +0 /m)
  })

  test('says that it is busy and when to try again, and lets no caller take all places', async () => {
    const { engine } = pool
    const accepted = await whileStopped(pool, pid, ['a', 'a', 'b', 'c'], async () => {
      const refused = await engine.analyseStep(aStep(), 'a').catch((error: unknown) => error)
      assert.ok(refused instanceof EngineError && refused.code === 'busy')
      assert.ok((refused.retry_after_s ?? 0) >= 1)
      assert.equal(await outcomeOf(engine.analyseStep(aStep(), 'd')), 'busy')
      process.kill(pid, 'SIGCONT')
    })
    assert.deepEqual(accepted, Array(4).fill('analysed'))
  })

  test('judges a step again if its process is killed, but not a second time', async () => {
    const [twice, once] = await whileStopped(pool, pid, ['a', 'b'], async () => {
      const started = pool.next(isStarted)
      process.kill(pid, 'SIGKILL')
      const event = await started
      // The event precedes the first step of a process, so the step loses its second process too.
      if (event.kind === 'process' && event.pid !== undefined) process.kill(event.pid, 'SIGKILL')
      pid = await nextPid(pool)
    })
    assert.deepEqual([twice, once], ['crashed', 'analysed'])
    const crashes = pool.events.filter((event) => event.kind === 'process' && event.change === 'crashed')
    assert.equal(crashes.length, 2)
  })

  test('rejects waiting steps when it is closed, and leaves no process behind', async () => {
    const { engine } = pool
    const outcomes = await whileStopped(pool, pid, ['a', 'b'], () => engine.close())
    assert.deepEqual(outcomes, ['unavailable', 'unavailable'])
    assert.throws(() => process.kill(pid, 0))
    assert.equal(await outcomeOf(engine.analyseStep(aStep(), 'c')), 'unavailable')
  })
})

/** Sends steps to a stopped process, does something while the first of them runs, and waits for their outcomes. */
async function whileStopped(
  { engine, next }: EnginePool,
  pid: number,
  callers: readonly string[],
  act: () => Promise<void>,
): Promise<string[]> {
  process.kill(pid, 'SIGSTOP')
  const running = next(isRunning)
  const steps = callers.map((caller) => outcomeOf(engine.analyseStep(aStep(), caller)))
  await running
  await act()
  return Promise.all(steps)
}

function isStarted(event: EngineEvent): boolean {
  return event.kind === 'process' && event.change === 'started'
}

async function nextPid({ next }: EnginePool): Promise<number> {
  const event = await next(isStarted)
  assert.ok(event.kind === 'process' && event.pid !== undefined)
  return event.pid
}

describe('the pool', () => {
  test('ends a process that exceeds the deadline, and starts a new one', async (t) => {
    const { engine, next, warm } = await anEnginePool(t, { deadline_ms: 5_000 })
    const pid = await warm()
    process.kill(pid, 'SIGSTOP')
    const overdue = next((event) => event.kind === 'process' && event.change === 'overdue')
    assert.equal(await outcomeOf(engine.analyseStep(aStep(), 'a')), 'deadline')
    await overdue
    assert.throws(() => process.kill(pid, 0))
    assert.equal(await outcomeOf(engine.analyseStep(aStep(), 'b')), 'analysed')
  })

  test('keeps parallel callers separate', async (t) => {
    const { engine } = await anEnginePool(t, { processes: 2 })
    const steps = Array.from({ length: 12 }, (_, caller) =>
      engine.analyseStep(aStep(Array(1 + (caller % 4)).fill(aFrame())), `caller ${caller}`),
    )
    const frames = (await Promise.all(steps)).map(({ vision }) => vision.frames)
    assert.deepEqual(
      frames,
      Array.from({ length: 12 }, (_, caller) => 1 + (caller % 4)),
    )
  })

  test('refuses a pack that cannot be opened, instead of retrying forever', async (t) => {
    const empty = temporaryDirectory(t)
    const { engine, events } = await anEnginePool(t, {
      pack: {
        state: () => ({ state: 'ready', engine_version: 'none' }),
        install: async () => {},
        directory: () => empty,
      },
    })
    assert.equal(await outcomeOf(engine.analyseStep(aStep(), 'a')), 'unavailable')
    const failed = events.filter((event) => event.kind === 'process' && event.change === 'failed_to_start')
    assert.equal(failed.length, 2)
    const again = await engine.analyseStep(aStep(), 'a').catch((error: unknown) => error)
    assert.ok(again instanceof EngineError && again.code === 'unavailable' && again.retry_after_s === 30)
  })

  test('ends a process that grows beyond its limit', async (t) => {
    const { engine, events } = await anEnginePool(t, { memory_bytes: 1 })
    await outcomeOf(engine.analyseStep(aStep(), 'a'))
    assert.ok(events.some((event) => event.kind === 'process' && event.change !== 'started'))
    assert.equal(await outcomeOf(engine.analyseStep(aStep(), 'b')), 'unavailable')
  })

  test('ends an idle process', async (t) => {
    const { next, warm } = await anEnginePool(t, { idle_ms: 1 })
    const idle = next((event) => event.kind === 'process' && event.change === 'idle')
    await warm()
    await idle
  })
})
