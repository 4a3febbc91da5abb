import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import type { EphemeralEntry, EphemeralStore } from '../../src/store/ephemeral.ts'
import { addClaim, freeClaim } from '../../src/store/ephemeral-claim.ts'

/** Ephemeral data under test, seen by two nodes. Embedded deployments have one node, which plays both. */
export interface OpenEphemeral {
  readonly here: EphemeralStore
  readonly there: EphemeralStore
  readonly clock: ManualClock
  /** Closes both and reopens them on the same data. */
  reopen(): Promise<OpenEphemeral>
}

const CALLERS = 64
const MINUTE_MS = 60_000

/** The promises of every store of ephemeral data. */
export function ephemeralContract(
  name: string,
  open: (context: TestContext) => Promise<OpenEphemeral>,
): void {
  describe(`ephemeral data in ${name}`, () => {
    test('is added once by any number of callers on any node', async (context) => {
      const { here, there, clock } = await open(context)
      const answers = await atOnce((caller) =>
        [here, there][caller % 2]?.add('proof', entry(clock, 'p', { value: `"${caller}"` })),
      )
      assert.equal(answers.filter((isNew) => isNew === true).length, 1)
      assert.equal(await there.add('proof', entry(clock, 'p')), false)
      const kept = await there.get('proof', 'p')
      assert.equal(kept?.value, `"${answers.indexOf(true)}"`)
    })

    test('is added once even if its callers arrive in several rounds', async (context) => {
      const { here, there, clock } = await open(context)
      const answers = await atOnce(async (caller) => {
        for (let turn = 0; turn < caller % 8; turn += 1) await new Promise(setImmediate)
        return [here, there][caller % 2]?.add('proof', entry(clock, 'p'))
      })
      assert.equal(answers.filter((isNew) => isNew === true).length, 1)
    })

    test('never deadlocks when nodes add the same entries in different orders', async (context) => {
      const { here, there, clock } = await open(context)
      const keys = Array.from({ length: CALLERS }, (_, index) => `p${index}`)
      for (let round = 0; round < 10; round += 1) {
        const add = (node: EphemeralStore) => (key: string) =>
          node.add('proof', entry(clock, `${round} ${key}`))
        const answers = await Promise.all([
          ...keys.map(add(here)),
          ...keys.toReversed().map(add(there)),
          here.sweep(),
          there.endOwner('all', 'nobody'),
        ])
        assert.equal(answers.filter((isNew) => isNew === true).length, CALLERS)
      }
    })

    test('is taken once by any number of callers on any node', async (context) => {
      const { here, there, clock } = await open(context)
      const challenge = entry(clock, 'c', { value: '{"for":"somebody"}', owner: 'human_a' })
      assert.equal(await here.add('challenge', challenge), true)
      const answers = await atOnce((caller) => [here, there][caller % 2]?.take('challenge', 'c'))
      assert.deepEqual(
        answers.filter((taken) => taken !== undefined),
        [challenge],
      )
      assert.equal(await here.get('challenge', 'c'), undefined)
      assert.equal(await there.take('challenge', 'c'), undefined)
      assert.equal(await there.add('challenge', challenge), true)
    })

    test('is replaced once by any number of callers on any node that read the same entry', async (context) => {
      const { here, there, clock } = await open(context)
      await here.add('alert', entry(clock, 'a'))
      const nodeOf = (caller: number) => (caller % 2 === 0 ? here : there)
      const read = await atOnce((caller) => nodeOf(caller).get('alert', 'a'))
      // The same text as before, which counts as a change, too.
      const answers = await atOnce((caller) =>
        nodeOf(caller).replace('alert', entry(clock, 'a'), read[caller]),
      )
      assert.equal(answers.filter((isReplaced) => isReplaced).length, 1)
      assert.equal(await here.replace('alert', entry(clock, 'a', { value: '1' }), read[0]), false)
      assert.equal(await here.replace('alert', entry(clock, 'a', { value: '1' })), true)
      assert.equal((await there.get('alert', 'a'))?.value, '1')
    })

    test('gives a claim to one caller, who can free it only while it is theirs', async (context) => {
      const { here, there, clock } = await open(context)
      const claim = (node: EphemeralStore) => {
        const { value: _, ...about } = entry(clock, 'c', { owner: 'human_a' })
        return addClaim(node, 'capture_claim', about)
      }
      const first = await claim(here)
      assert.ok(first)
      assert.equal(await claim(there), undefined)
      clock.advance(MINUTE_MS)
      const second = await claim(there)
      assert.ok(second)
      await freeClaim(here, 'capture_claim', first)
      assert.equal(await claim(here), undefined)
      await freeClaim(there, 'capture_claim', second)
      assert.equal(await here.get('capture_claim', 'c'), undefined)
      assert.ok(await claim(here))
    })

    test('separates kinds and stores any text', async (context) => {
      const { here, there, clock } = await open(context)
      const odd = entry(clock, '"\\{}, NULL\u00e9\u{1f511}', { value: '{"a":"\\u0000, \\"b\\""}' })
      assert.equal(await here.add('session', odd), true)
      assert.equal(await here.add('login', { ...odd, value: '[]' }), true)
      assert.deepEqual(await there.take('session', odd.key), odd)
      assert.equal((await there.get('login', odd.key))?.value, '[]')
    })

    test('can be replaced only while it exists', async (context) => {
      const { here, there, clock } = await open(context)
      const session = entry(clock, 's', { owner: 'human_a' })
      assert.equal(await here.replace('session', session), false)
      await here.add('session', session)
      const longer = { ...session, value: '{"seen":2}', expires_at_ms: clock() + 10 * MINUTE_MS }
      assert.equal(await there.replace('session', longer), true)
      assert.deepEqual(await here.get('session', 's'), longer)
      clock.advance(10 * MINUTE_MS)
      assert.equal(await here.replace('session', entry(clock, 's')), false)
      assert.equal(await here.get('session', 's'), undefined)
    })

    test('is never returned after it has ended, and its key can be reused', async (context) => {
      const { here, there, clock } = await open(context)
      const session = entry(clock, 's', { owner: 'human_a' })
      await here.add('session', session)
      clock.advance(MINUTE_MS - 1)
      assert.deepEqual(await there.get('session', 's'), session)
      clock.advance(1)
      assert.equal(await there.get('session', 's'), undefined)
      assert.equal(await there.take('session', 's'), undefined)
      assert.deepEqual(await there.ofOwner('session', 'human_a'), [])
      assert.equal(await there.endOwner('all', 'human_a'), 0)
      const answers = await atOnce(() => there.add('session', entry(clock, 's', { owner: 'human_b' })))
      assert.equal(answers.filter((isNew) => isNew === true).length, 1)
      assert.equal((await here.get('session', 's'))?.owner, 'human_b')
    })

    test('is listed by owner, newest first', async (context) => {
      const { here, there, clock } = await open(context)
      await here.add('session', entry(clock, 'ended', { owner: 'human_a' }))
      clock.advance(MINUTE_MS)
      for (const key of ['z', 'a', 'm', 'ended'])
        await here.add('session', entry(clock, key, { owner: 'human_a' }))
      await here.add('step_up', entry(clock, 'up', { owner: 'human_a' }))
      await here.add('session', entry(clock, 'other', { owner: 'human_b' }))
      await here.add('session', entry(clock, 'nobody'))
      await there.replace('session', entry(clock, 'a', { owner: 'human_a', value: '"again"' }))
      const found = await there.ofOwner('session', 'human_a')
      assert.deepEqual(
        found.map(({ key }) => key),
        ['ended', 'm', 'a', 'z'],
      )
      assert.equal(found[2]?.value, '"again"')
    })

    test('ends with its owner in all kinds, except for one key', async (context) => {
      const { here, there, clock } = await open(context)
      for (const key of ['s1', 's2', 's3']) await here.add('session', entry(clock, key, { owner: 'human_a' }))
      await here.add('step_up', entry(clock, 'up', { owner: 'human_a' }))
      await here.add('session', entry(clock, 'other', { owner: 'human_b' }))
      assert.equal(await there.endOwner('all', 'human_a', 's2'), 3)
      assert.deepEqual(
        (await here.ofOwner('session', 'human_a')).map(({ key }) => key),
        ['s2'],
      )
      assert.deepEqual(await here.ofOwner('step_up', 'human_a'), [])
      assert.equal(await there.endOwner('all', 'human_a'), 1)
      assert.equal((await here.get('session', 'other'))?.owner, 'human_b')
    })

    test('ends with its owner only if it is of a named kind', async (context) => {
      const { here, there, clock } = await open(context)
      const kinds = ['session', 'step_up', 'capture_session', 'message'] as const
      for (const kind of kinds) await here.add(kind, entry(clock, 'same', { owner: 'human_a' }))
      const left = async () => {
        const found = await Promise.all(kinds.map((kind) => here.get(kind, 'same')))
        return kinds.filter((_, index) => found[index] !== undefined)
      }
      assert.equal(await there.endOwner(['session', 'step_up'], 'human_a', 'same'), 0)
      assert.equal(await there.endOwner([], 'human_a'), 0)
      assert.equal(await there.endOwner(['session', 'step_up', 'proof'], 'human_a'), 2)
      assert.deepEqual(await left(), ['capture_session', 'message'])
      assert.equal(await there.endOwner('all', 'human_a'), 2)
      assert.deepEqual(await left(), [])
    })

    test('ends with its owner even while another caller replaces it', async (context) => {
      const { here, there, clock } = await open(context)
      for (let round = 0; round < 10; round += 1) {
        await here.add('session', entry(clock, `s${round}`, { owner: 'human_a' }))
        const replacing = atOnce(async (caller) => {
          for (let turn = 0; turn < caller % 8; turn += 1) await new Promise(setImmediate)
          return [here, there][caller % 2]?.replace(
            'session',
            entry(clock, `s${round}`, { owner: 'human_a' }),
          )
        })
        assert.equal(await there.endOwner('all', 'human_a'), 1)
        await replacing
        assert.deepEqual(await here.ofOwner('session', 'human_a'), [])
      }
    })

    test('is removed by a sweep once it has ended, but not before', async (context) => {
      const { here, there, clock } = await open(context)
      const many = Array.from({ length: 2_500 }, (_, index) => entry(clock, `p${index}`))
      assert.deepEqual(new Set(await Promise.all(many.map((one) => here.add('proof', one)))), new Set([true]))
      clock.advance(MINUTE_MS)
      await here.add('proof', entry(clock, 'fresh'))
      await there.sweep()
      clock.advance(-MINUTE_MS) // swept entries are gone even at a time when they were valid
      assert.equal(await here.get('proof', 'p0'), undefined)
      assert.equal(await here.get('proof', 'p2499'), undefined)
      assert.notEqual(await here.get('proof', 'fresh'), undefined)
    })

    test('survives a restart', async (context) => {
      const { here, clock, reopen } = await open(context)
      await here.add('session', entry(clock, 's', { owner: 'human_a' }))
      await here.add('challenge', entry(clock, 'c'))
      await here.take('challenge', 'c')
      const again = await reopen()
      assert.equal((await again.here.get('session', 's'))?.owner, 'human_a')
      assert.equal(await again.there.get('challenge', 'c'), undefined)
    })
  })
}

/** An entry that ends in a minute. */
export function entry(
  clock: () => number,
  key: string,
  changes: { value?: string; owner?: string } = {},
): EphemeralEntry {
  return { key, value: '{}', owner: undefined, expires_at_ms: clock() + MINUTE_MS, ...changes }
}

function atOnce<T>(call: (caller: number) => T | Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
}
