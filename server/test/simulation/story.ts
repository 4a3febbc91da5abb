import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import { type SeededDraw, seededDraw } from '@deputize/testing/seeded-draw.ts'
import { openClerk } from '../../src/clerk/clerk.ts'
import type { Errand, Fault, SimulatedNode } from './simulated-node.ts'
import { ask, aWish, issued, persist, rootsOf, type Told, type Wish } from './wishes.ts'

/** One in this many stories is long: more clients, more wishes, more faults. */
const LONG_EVERY = 100

const ERRANDS: readonly Errand[] = [
  ...Array<Errand>(16).fill('none'),
  'publishes',
  'publishes',
  'settles',
  'checkpoints',
]
/** A transaction becomes visible after 100 ms. */
const PASSED_MS: readonly number[] = [0, 0, 10, 60]

/** Plays one story: clients call, repeat and overtake each other, while the node dies and its clock jumps. */
export async function tellStory(node: SimulatedNode, clock: ManualClock, seed: number): Promise<Told> {
  const draw = seededDraw(seed)
  node.drawFrom(draw)
  const name = `s${seed}`
  const { clients, wants, faults: possible } = seed % LONG_EVERY === 0 ? LONG : short(draw)
  let isCalm = true
  let faults = 0
  const clerk = openClerk(
    (commands, lane) => {
      const fault: Fault = isCalm ? 'none' : draw.pick(possible)
      const errand: Errand = isCalm ? 'none' : draw.pick(ERRANDS)
      if (fault !== 'none') faults += 1
      if (!isCalm && draw.chance(0.2)) clock.advance(draw.between(-600_000, 600_000))
      return node.execute(commands, lane, { fault, errand, passed_ms: draw.pick(PASSED_MS) })
    },
    { queue_limit: 1_000, batch_limit: draw.pick([1, 3, 3, 3]), batches_in_flight: 2 },
  )
  const roots = rootsOf(name)
  isCalm = false
  const tokens = roots.map((root, number) => issued(root, seed, number, clock()))
  const issue = () =>
    Promise.all(tokens.map(async (token) => (await persist(() => clerk.submit(token))).outcome))
  const answered = await issue()
  const wishes: Wish[] = []
  const revoked: string[] = []
  const client = async (number: number) => {
    for (let turn = 0; turn < wants; turn++) {
      for (let pause = draw.between(0, 3); pause > 0; pause--) await nextTurn()
      const root = draw.pick(roots)
      if (draw.chance(0.08)) {
        await persist(() => clerk.submit({ kind: 'revoke', vat_jti: root, reason: undefined }))
        revoked.push(root)
        continue
      }
      const wish = aWish(root, draw.between(0, 3), `${name}k${number}x${turn}`)
      wishes.push(wish)
      // Some send a call twice at once, like a client behind a proxy that repeats calls.
      const asking = Array.from({ length: draw.chance(0.3) ? 2 : 1 }, async (_, copy) => {
        for (let pause = copy * draw.between(0, 3); pause > 0; pause--) await nextTurn()
        await ask(clerk.submit, wish, draw)
      })
      await Promise.all(asking)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  isCalm = true
  node.repair()
  // All ask once more and must get the same answer.
  const issuing = draw.chance(0.3) ? issue() : answered
  await Promise.all(wishes.map((wish) => ask(clerk.submit, wish, draw)))
  assert.deepEqual(await issuing, answered)
  await clerk.drain()
  assert.ifError(node.failure)
  return { seed, name, wishes, revoked, faults }
}

interface Length {
  readonly clients: number
  /** Number of wishes per client. */
  readonly wants: number
  /** What may happen to a batch. All entries are equally likely. */
  readonly faults: readonly Fault[]
}

const LONG: Length = {
  clients: 3,
  wants: 4,
  faults: ['none', 'none', 'none', 'none', 'fails', 'fails', 'full', 'dies', 'dies', 'dies'],
}

/** Most faults show within a few steps, so most stories are short, and many more fit into the same time. */
function short(draw: SeededDraw): Length {
  const faults: readonly Fault[] = [
    ...Array<Fault>(16).fill('none'),
    'fails',
    'fails',
    'full',
    'dies',
    'dies',
  ]
  return { clients: draw.between(1, 2), wants: draw.pick([1, 1, 2]), faults }
}
