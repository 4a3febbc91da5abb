import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Delivery, DeliveryProgress, DeliveryStore } from '../../src/store/deliveries.ts'

export interface OpenDeliveries {
  /** Two nodes with the same data, or the same store twice if there is only one node. */
  readonly here: DeliveryStore
  readonly there: DeliveryStore
  /** Closes everything and opens it again. */
  reopen(): Promise<OpenDeliveries>
}

const LEASE_MS = 60_000
const ONE = 'whk_one'
const TWO = 'whk_two'
const ALL = { state: undefined }
const PAGE = { limit: 50, before: undefined }

function aDelivery(log_index: number, changes: Partial<Delivery> = {}): Delivery {
  return {
    log_index,
    lane: 'prov_a',
    state: 'delivered',
    attempts: 1,
    first_at_ms: 1_000,
    last_at_ms: 2_000,
    next_at_ms: 2_000,
    status: 200,
    error: undefined,
    answer: 'thanks',
    took_ms: 12,
    ...changes,
  }
}

function progress(
  endpoint_id: string,
  next_index: number,
  rows: readonly Delivery[] = [],
  revision = 0,
): DeliveryProgress {
  return { endpoint_id, revision, next_index, failing_since_ms: undefined, rows }
}

async function begun(store: DeliveryStore): Promise<DeliveryStore> {
  await store.begin([
    { endpoint_id: ONE, since: 5 },
    { endpoint_id: TWO, since: 7 },
  ])
  await store.hold('node', LEASE_MS)
  return store
}

async function states(store: DeliveryStore, endpoint_id: string): Promise<[number, string][]> {
  const { entries } = await store.list(endpoint_id, ALL, PAGE)
  return entries.map(({ log_index, state }) => [log_index, state])
}

/** The promises of every store of deliveries. */
export function deliveryContract(
  name: string,
  open: (context: TestContext) => Promise<OpenDeliveries>,
): void {
  describe(`deliveries in ${name}`, () => {
    test('an endpoint begins only once, at its first index', async (context) => {
      const { here, there } = await open(context)
      await begun(here)
      await there.begin([{ endpoint_id: ONE, since: 99 }])
      assert.equal((await there.state(ONE))?.next_index, 5)
      assert.equal(await here.state('whk_unknown'), undefined)
    })

    test('the cursor and the rows of one write stay together, even after a restart', async (context) => {
      const { here, reopen } = await open(context)
      await begun(here)
      const waiting = aDelivery(8, {
        state: 'waiting',
        status: 500,
        error: 'answered 500',
        next_at_ms: 9_000,
      })
      const since = { ...progress(ONE, 9, [aDelivery(6), waiting]), failing_since_ms: 2_000 }
      assert.deepEqual(await here.write('node', [since, progress(TWO, 30)]), [])
      const { here: again } = await reopen()
      assert.deepEqual(await again.state(ONE), {
        next_index: 9,
        failing_since_ms: 2_000,
        disabled: undefined,
      })
      assert.equal((await again.state(TWO))?.next_index, 30)
      assert.deepEqual(await again.find(ONE, 6), aDelivery(6))
      assert.deepEqual(await again.find(ONE, 8), waiting)
      assert.deepEqual(
        (await again.waiting(ONE)).map(({ log_index, next_at_ms }) => [log_index, next_at_ms]),
        [[8, 9_000]],
      )
    })

    test('a delivery that is written again has its newest state', async (context) => {
      const { here } = await open(context)
      await begun(here)
      await here.write('node', [progress(ONE, 9, [aDelivery(8, { state: 'waiting', answer: undefined })])])
      await here.write('node', [progress(ONE, 9, [aDelivery(8, { attempts: 2 })])])
      assert.deepEqual(await here.find(ONE, 8), aDelivery(8, { attempts: 2 }))
      assert.deepEqual(await here.waiting(ONE), [])
    })

    test('a holder that has not seen the newest revision writes nothing', async (context) => {
      const { here } = await open(context)
      await begun(here)
      assert.equal(await here.rewind(ONE, 3), true)
      assert.deepEqual(await here.write('node', [progress(ONE, 50, [aDelivery(49)]), progress(TWO, 8)]), [
        ONE,
      ])
      assert.equal((await here.state(ONE))?.next_index, 3)
      assert.equal(await here.find(ONE, 49), undefined)
      assert.equal((await here.state(TWO))?.next_index, 8)
      const lease = (await here.hold('node', LEASE_MS)).find(({ endpoint_id }) => endpoint_id === ONE)
      assert.equal(lease?.revision, 1)
      assert.deepEqual(await here.write('node', [progress(ONE, 4, [], 1)]), [])
    })

    test('a node that holds no lease writes nothing', async (context) => {
      const { here } = await open(context)
      await begun(here)
      assert.deepEqual(await here.write('other', [progress(ONE, 50)]), [ONE])
      assert.equal((await here.state(ONE))?.next_index, 5)
    })

    test('a rewind only goes back, and drops waiting deliveries from there on', async (context) => {
      const { here } = await open(context)
      await begun(here)
      const rows = [6, 8].map((index) => aDelivery(index, { state: 'waiting' }))
      await here.write('node', [progress(ONE, 20, rows)])
      assert.equal(await here.rewind(ONE, 30), true)
      assert.equal((await here.state(ONE))?.next_index, 20)
      assert.equal(await here.rewind(ONE, 7), true)
      assert.equal((await here.state(ONE))?.next_index, 7)
      assert.deepEqual(
        (await here.waiting(ONE)).map(({ log_index }) => log_index),
        [6],
      )
      assert.equal(await here.rewind('whk_unknown', 0), false)
    })

    test('a retry makes a settled delivery wait again', async (context) => {
      const { here } = await open(context)
      await begun(here)
      await here.write('node', [progress(ONE, 9, [aDelivery(8, { state: 'failed' })])])
      assert.equal(await here.retry(ONE, 8, 77_000), true)
      assert.equal((await here.waiting(ONE))[0]?.next_at_ms, 77_000)
      assert.equal(await here.retry(ONE, 6, 77_000), false)
      assert.equal(await here.retry('whk_unknown', 8, 77_000), false)
    })

    test("a disabled endpoint can't be held until it is enabled, and loses nothing", async (context) => {
      const { here } = await open(context)
      await begun(here)
      const waiting = aDelivery(8, { state: 'waiting', attempts: 8, next_at_ms: 99_000 })
      await here.write('node', [{ ...progress(ONE, 9, [waiting]), failing_since_ms: 1_000 }])
      assert.equal(await here.disable(ONE, 'gone', 5_000), true)
      assert.deepEqual((await here.state(ONE))?.disabled, { at_ms: 5_000, reason: 'gone' })
      const held = await here.hold('node', LEASE_MS)
      assert.deepEqual(
        held.map(({ endpoint_id }) => endpoint_id),
        [TWO],
      )
      assert.deepEqual(await here.write('node', [progress(ONE, 70)]), [ONE])
      assert.equal(await here.enable(ONE), true)
      assert.deepEqual(await here.state(ONE), {
        next_index: 9,
        failing_since_ms: undefined,
        disabled: undefined,
      })
      const [again] = await here.waiting(ONE)
      assert.deepEqual([again?.next_at_ms, again?.attempts], [0, 0], 'its retries begin anew')
      assert.equal((await here.hold('node', LEASE_MS)).length, 2)
    })

    test('lists deliveries page by page, newest first, in any state or in one', async (context) => {
      const { here } = await open(context)
      await begun(here)
      const rows = [6, 7, 8, 9].map((index) =>
        aDelivery(index, { state: index === 7 ? 'failed' : 'delivered' }),
      )
      await here.write('node', [progress(ONE, 10, rows), progress(TWO, 10, [aDelivery(8)])])
      const first = await here.list(ONE, ALL, { limit: 3, before: undefined })
      assert.deepEqual([first.entries.map(({ log_index }) => log_index), first.before], [[9, 8, 7], 7])
      const rest = await here.list(ONE, ALL, { limit: 3, before: first.before })
      assert.deepEqual([rest.entries.map(({ log_index }) => log_index), rest.before], [[6], undefined])
      const failed = await here.list(ONE, { state: 'failed' }, PAGE)
      assert.deepEqual(
        failed.entries.map(({ log_index }) => log_index),
        [7],
      )
    })

    test('a removed endpoint leaves nothing behind', async (context) => {
      const { here } = await open(context)
      await begun(here)
      await here.write('node', [progress(ONE, 9, [aDelivery(8)]), progress(TWO, 9, [aDelivery(8)])])
      await here.remove(ONE)
      assert.equal(await here.state(ONE), undefined)
      assert.deepEqual(await states(here, ONE), [])
      assert.deepEqual(await states(here, TWO), [[8, 'delivered']])
    })

    test('a sweep removes old deliveries and all but the newest per endpoint, never waiting ones', async (context) => {
      const { here } = await open(context)
      await begun(here)
      const old = aDelivery(6, { last_at_ms: 10 })
      const waiting = aDelivery(7, { last_at_ms: 10, state: 'waiting' })
      const recent = [8, 9, 10].map((index) => aDelivery(index))
      await here.write('node', [
        progress(ONE, 11, [old, waiting, ...recent]),
        progress(TWO, 11, [aDelivery(8)]),
      ])
      await here.sweep(100, 2)
      assert.deepEqual(await states(here, ONE), [
        [10, 'delivered'],
        [9, 'delivered'],
        [7, 'waiting'],
      ])
      assert.deepEqual(await states(here, TWO), [[8, 'delivered']])
    })
  })
}
