import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_CONTEXT, TrustGraph } from '../../src/trust/graph.ts'

/** Counts how many vouches are read. */
class CountingGraph extends TrustGraph {
  reads = 0

  override toOf(vouch: number): number {
    this.reads += 1
    return super.toOf(vouch)
  }

  override fromOf(vouch: number): number {
    this.reads += 1
    return super.fromOf(vouch)
  }

  vouch(from: string, to: string, context?: string): number {
    return this.addVouch({ vouch_id: `vch_${this.vouchCount}`, from, to, weight: 1_000_000, context })
  }

  anchor(name: string): void {
    this.setBase(this.addNode(name), 950_000)
  }

  distanceOf(name: string, context?: string): number {
    return this.distances(this.contextNumber(context) ?? -1).of(this.nodeOf(name) ?? -1)
  }

  /** How many vouches `work` reads. */
  readsOf(work: () => void): number {
    this.reads = 0
    work()
    return this.reads
  }
}

describe('distances', () => {
  test('of a crowd behind a vouch that ends are recomputed once each, whatever the order of their vouches', () => {
    const crowd = Array.from({ length: 500 }, (_, number) => `sybil${number}`)
    const graph = new CountingGraph()
    graph.anchor('ada')
    graph.distances(NO_CONTEXT)
    const way = graph.vouch('ada', 'boss')
    for (const one of crowd) graph.vouch('boss', one)
    for (const one of crowd.toReversed()) graph.vouch(one, 'target')
    graph.vouch('target', 'last')
    assert.deepEqual(
      ['boss', 'sybil7', 'target', 'last'].map((one) => graph.distanceOf(one)),
      [1, 2, 3, 4],
    )
    const reads = graph.readsOf(() => graph.endVouch(way))
    assert.ok(reads < graph.vouchCount * 10, `${reads} reads for ${graph.vouchCount} vouches`)
    for (const one of ['boss', 'sybil7', 'target', 'last']) assert.ok(graph.distanceOf(one) > 5)
  })

  test('grow to what the other vouches give, even along a circle', () => {
    const graph = new CountingGraph()
    graph.anchor('ada')
    graph.distances(NO_CONTEXT)
    const short = graph.vouch('ada', 'cleo')
    graph.vouch('ada', 'ben')
    graph.vouch('cleo', 'dan')
    graph.vouch('dan', 'cleo')
    const long = graph.vouch('ben', 'dan')
    graph.endVouch(short)
    assert.deepEqual(
      ['ben', 'dan', 'cleo'].map((one) => graph.distanceOf(one)),
      [1, 2, 3],
    )
    graph.endVouch(long)
    for (const one of ['dan', 'cleo']) assert.ok(graph.distanceOf(one) > 5)
  })

  test('in many contexts, requested in turn, cost only what their own vouches cost', () => {
    const graph = new CountingGraph()
    graph.anchor('ada')
    for (let number = 0; number < 2000; number += 1) graph.vouch('ada', `person${number}`)
    for (let number = 0; number < 40; number += 1) {
      graph.vouch('person7', 'ben', `c${number}`)
      graph.vouch('ben', 'cleo', `c${number}`)
    }
    graph.distances(NO_CONTEXT)
    for (let number = 0; number < 80; number += 1) {
      const reads = graph.readsOf(() => assert.equal(graph.distanceOf('cleo', `c${number % 40}`), 3))
      assert.ok(reads < 400, `${reads} reads`)
    }
    assert.ok(graph.distanceOf('cleo', undefined) > 5)
  })
})
