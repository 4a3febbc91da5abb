import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ATrustLog } from './a-trust-log.ts'

describe('a score', () => {
  test('of a subject without vouches is 0', () => {
    const log = new ATrustLog()
    log.verify('ada')
    assert.deepEqual(log.score('agent:a'), {
      subject: 'agent:a',
      score: 0,
      flow: 0,
      anchors: 0,
      vouches: 0,
      truncated: false,
      paths: [],
      cut: [],
    })
  })

  test('of an agent that one verified person vouches for is limited by the vouch or by the person', () => {
    const log = new ATrustLog()
    log.verify('ada', 'L3')
    log.verify('ben', 'L2')
    const vouch_id = log.vouch('ada', 'agent:a', { weight: 500_000 })
    log.vouch('ben', 'agent:b')
    const by_vouch = log.score('agent:a')
    assert.equal(by_vouch.flow, 400_000, 'the weight, a hop away')
    assert.equal(by_vouch.score, 285_714)
    assert.deepEqual(by_vouch.paths, [
      { flow: 400_000, steps: [{ vouch_id, from: 'ada', capacity: 400_000 }] },
    ])
    assert.deepEqual(by_vouch.cut, [{ limit: 'vouch', vouch_id, capacity: 400_000 }])
    const by_person = log.score('agent:b')
    assert.equal(by_person.flow, 700_000, 'the base of L2')
    assert.deepEqual(by_person.cut, [{ limit: 'base', human_ref: 'ben', capacity: 700_000 }])
  })

  test('falls with each hop, and ends after five', () => {
    const log = new ATrustLog()
    log.verify('p0')
    for (let hop = 0; hop < 6; hop += 1) log.vouch(`p${hop}`, `p${hop + 1}`)
    const flows = [1, 2, 3, 4, 5, 6].map((hop) => log.flow(`p${hop}`))
    assert.deepEqual(flows, [800_000, 640_000, 512_000, 409_600, 327_680, 0])
  })

  test('of a verified person does not count their own word', () => {
    const log = new ATrustLog()
    log.verify('ada')
    log.vouch('ada', 'ben')
    log.vouch('ben', 'ada')
    assert.equal(log.flow('ada'), 0)
    assert.equal(log.flow('ben'), 800_000)
  })

  test('as one person sees it counts only what reaches the subject from them', () => {
    const log = new ATrustLog()
    log.verify('ada')
    log.vouch('ada', 'agent:a')
    log.vouch('cleo', 'dan', { weight: 500_000 })
    log.vouch('dan', 'agent:a')
    assert.equal(log.flow('agent:a'), 800_000)
    assert.equal(log.flow('agent:a', { as: 'cleo' }), 400_000)
    assert.equal(log.flow('agent:a', { as: 'nobody' }), 0)
    assert.equal(log.flow('dan', { as: 'dan' }), 0)
  })

  test('in a context counts vouches for it and vouches without one', () => {
    const log = new ATrustLog()
    log.verify('ada')
    log.verify('ben')
    log.vouch('ada', 'agent:a', { context: 'travel', weight: 100_000 })
    log.vouch('ben', 'agent:a', { weight: 10_000 })
    assert.equal(log.flow('agent:a'), 8_000)
    assert.equal(log.flow('agent:a', { context: 'travel' }), 88_000)
    assert.equal(log.flow('agent:a', { context: 'finance' }), 8_000)
  })
})
