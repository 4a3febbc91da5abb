import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { scoreOf } from '../../src/trust/score.ts'
import type { VouchScore } from '../../src/trust/score-types.ts'
import { ATrustLog } from './a-trust-log.ts'
import {
  aContext,
  aPerson,
  aSubject,
  aWeight,
  casesFor,
  PEOPLE,
  randomLeaves,
  SUBJECTS,
  vouchUnlessThere,
} from './random-log.ts'
import { type SlowArc, type SlowOptions, slowFlow, slowGraph, slowNetwork } from './slow-judge.ts'

const CROWD = ['x0', 'x1', 'x2', 'x3', 'x4'] as const
const aCrowdVouch = fc.record({
  from: fc.constantFrom(...CROWD),
  to: fc.constantFrom(...CROWD, ...SUBJECTS),
  weight: aWeight,
  context: aContext,
})
const anOption: fc.Arbitrary<SlowOptions> = fc.record({
  context: aContext,
  as: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, aPerson),
})

/** How much of every part of the network the paths use. */
function usedParts(
  { paths }: VouchScore,
  subject: string,
  arcs: ReadonlyMap<string, SlowArc>,
): Map<string, bigint> {
  const used = new Map<string, bigint>()
  for (const { flow, steps } of paths) {
    assert.ok(flow > 0 && steps.length > 0)
    const parts = steps.flatMap(({ vouch_id, from }) => [`person ${from}`, `vouch ${vouch_id}`])
    for (const part of [`base ${steps[0]?.from}`, ...parts])
      used.set(part, (used.get(part) ?? 0n) + BigInt(flow))
    for (const [place, { vouch_id, capacity }] of steps.entries()) {
      const arc = arcs.get(`vouch ${vouch_id}`)
      const next = steps[place + 1]
      assert.equal(arc?.capacity, BigInt(capacity))
      assert.equal(arc?.to, next === undefined ? '>' : `in ${next.from}`, `a way to ${subject}`)
    }
  }
  return used
}

function assertExplained(score: VouchScore, arcs: readonly SlowArc[]): void {
  const by_part = new Map(arcs.map((arc) => [arc.part, arc]))
  for (const [part, flow] of usedParts(score, score.subject, by_part))
    assert.ok(flow <= (by_part.get(part)?.capacity ?? 0n), `${part} carries no more than it can`)
  const cut = score.cut.map(
    (part) => `${part.limit} ${part.limit === 'vouch' ? part.vouch_id : part.human_ref}`,
  )
  for (const [place, part] of cut.entries())
    assert.equal(by_part.get(part)?.capacity, BigInt(score.cut[place]?.capacity ?? 0))
  assert.equal(slowFlow(arcs.filter(({ part }) => !cut.includes(part))), 0n, 'no way leads around the cut')
  assert.equal(sum(score.cut.map(({ capacity }) => capacity)), score.flow)
  assert.equal(sum(score.paths.map(({ flow }) => flow)), score.flow)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function flowsOf(log: ATrustLog, names: readonly string[] = SUBJECTS, options: SlowOptions = {}): number[] {
  return names.map((name) => log.flow(name, options))
}

describe('on random logs', () => {
  test('a score at any size is what a slow judge computes, and its paths and its cut agree with it', () => {
    const asked = fc.array(fc.tuple(aSubject, anOption), { minLength: 2, maxLength: 3 })
    fc.assert(
      fc.property(randomLeaves, fc.nat(30), asked, (leaves, size, questions) => {
        const log = new ATrustLog()
        // What is cached for the first answers changes with the leaves after them.
        for (const part of [leaves.slice(0, size), leaves.slice(size)]) {
          for (const leaf of part) log.add(leaf)
          const graph = slowGraph(log.leaves)
          for (const [subject, options] of questions) {
            const arcs = slowNetwork(graph, subject, options)
            const score = log.score(subject, options)
            assert.equal(BigInt(score.flow), slowFlow(arcs))
            assertExplained(score, arcs)
          }
        }
      }),
      casesFor(50),
    )
  })

  test('a crowd that nobody reachable vouches for scores 0, however large and dense, and helps nobody', () => {
    fc.assert(
      fc.property(
        randomLeaves,
        fc.array(aCrowdVouch, { maxLength: 40, size: 'max' }),
        anOption,
        (leaves, crowd, options) => {
          const log = ATrustLog.of(leaves)
          const before = flowsOf(log, SUBJECTS, options)
          const standing = new Map<string, string>()
          for (const vouch of crowd) vouchUnlessThere(log, standing, vouch)
          assert.deepEqual(
            flowsOf(log, CROWD, options),
            CROWD.map(() => 0),
          )
          assert.deepEqual(flowsOf(log, SUBJECTS, options), before)
        },
      ),
      casesFor(10),
    )
  })

  test('a crowd gets no more than the vouches that lead into it can carry', () => {
    const anEntrance = fc.record({ from: aPerson, to: fc.constantFrom(...CROWD), weight: aWeight })
    fc.assert(
      fc.property(
        randomLeaves,
        fc.array(anEntrance, { minLength: 1, maxLength: 4 }),
        fc.array(aCrowdVouch, { maxLength: 30, size: 'max' }),
        (leaves, entrances, crowd) => {
          const log = ATrustLog.of(leaves)
          const standing = new Map<string, string>()
          for (const vouch of entrances) vouchUnlessThere(log, standing, vouch)
          const into = [...standing.values()]
          for (const vouch of crowd) vouchUnlessThere(log, standing, vouch)
          const { graph } = log.ledger
          const distances = graph.distances(0)
          const most = into.map((vouch_id) => {
            const vouch = graph.vouchOf(vouch_id) ?? -1
            return graph.capacityOf(vouch, distances.of(graph.fromOf(vouch)))
          })
          for (const flow of flowsOf(log, CROWD)) assert.ok(flow <= sum(most))
        },
      ),
      casesFor(10),
    )
  })

  test('a new vouch lowers no flow, and withdrawing it restores what was there before', () => {
    const vouch = fc.record({ from: aPerson, to: aSubject, weight: aWeight, context: aContext })
    fc.assert(
      fc.property(randomLeaves, vouch, anOption, (leaves, made, options) => {
        const log = ATrustLog.of(leaves)
        const before = flowsOf(log, SUBJECTS, options)
        const standing = new Map<string, string>()
        vouchUnlessThere(log, standing, made)
        for (const [place, flow] of flowsOf(log, SUBJECTS, options).entries())
          assert.ok(flow >= (before[place] ?? 0))
        for (const vouch_id of standing.values()) log.withdraw(vouch_id)
        assert.deepEqual(flowsOf(log, SUBJECTS, options), before)
      }),
      casesFor(12),
    )
  })

  test('a verification lowers no flow', () => {
    fc.assert(
      fc.property(randomLeaves, aPerson, (leaves, person) => {
        const log = ATrustLog.of(leaves)
        for (const human_ref of PEOPLE) log.removeAnchor(human_ref)
        const before = flowsOf(log)
        log.verify(person, 'L2')
        for (const [place, flow] of flowsOf(log).entries()) assert.ok(flow >= (before[place] ?? 0))
      }),
      casesFor(6),
    )
  })

  test('a rejected rating of an agent lowers what everyone who vouches for it can give', () => {
    fc.assert(
      fc.property(randomLeaves, aPerson, (leaves, person) => {
        const log = ATrustLog.of(leaves)
        const standing = new Map<string, string>()
        vouchUnlessThere(log, standing, { from: person, to: 'agent:rated', weight: 1_000_000 })
        log.removeAnchor(person)
        log.verify(person)
        const before = log.flow('agent:rated')
        const flows = flowsOf(log)
        log.rate('agent:rated', 'rejected', 4)
        assert.ok(before > 0 && log.flow('agent:rated') < before)
        for (const [place, flow] of flowsOf(log).entries()) assert.ok(flow <= (flows[place] ?? 0))
      }),
      casesFor(6),
    )
  })

  test('a bounded search finds no more than the whole graph, and reports that it is bounded', () => {
    fc.assert(
      fc.property(randomLeaves, aSubject, fc.integer({ min: 1, max: 8 }), (leaves, subject, limit) => {
        const log = ATrustLog.of(leaves)
        const whole = log.score(subject)
        const bounded = scoreOf(log.ledger.graph, subject, { limit })
        assert.equal(bounded.truncated, whole.vouches > limit)
        assert.ok(bounded.flow <= whole.flow && bounded.vouches <= limit)
        if (!bounded.truncated) assert.deepEqual(bounded, whole)
      }),
      casesFor(6),
    )
  })
})
