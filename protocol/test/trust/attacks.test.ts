import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ATrustLog } from './a-trust-log.ts'

const SYBILS = 1000

function sybil(number: number): string {
  return `sybil${number}`
}

/** Honest people: three are verified, and know ben, who knows cleo. */
function anHonestLog(): ATrustLog {
  const log = new ATrustLog()
  for (const person of ['ada', 'amy', 'abe']) {
    log.verify(person)
    log.vouch(person, 'ben')
  }
  log.vouch('ben', 'cleo')
  return log
}

function vouchInRing(log: ATrustLog, size = SYBILS): void {
  for (let number = 0; number < size; number += 1) log.vouch(sybil(number), sybil((number + 1) % size))
}

describe('made-up people', () => {
  test('in a ring earn nothing', () => {
    const log = anHonestLog()
    vouchInRing(log)
    for (const number of [0, 1, 500, 999]) assert.equal(log.flow(sybil(number)), 0)
  })

  test('in a ring behind one fooled person get one vouch in total, whether there are one or a thousand', () => {
    const alone = anHonestLog()
    alone.vouch('cleo', sybil(0))
    const crowd = anHonestLog()
    vouchInRing(crowd)
    crowd.vouch('cleo', sybil(0))
    assert.equal(alone.flow(sybil(0)), 512_000, 'cleo is two hops from an anchor')
    assert.equal(crowd.flow(sybil(0)), 512_000)
    for (const number of [1, 2, 999]) assert.ok(crowd.flow(sybil(number)) <= 512_000)
  })

  test('who all vouch for each other and for one agent get no more than the vouch of one fooled person', () => {
    const log = anHonestLog()
    for (let from = 0; from < 40; from += 1) {
      for (let to = 0; to < 40; to += 1) if (from !== to) log.vouch(sybil(from), sybil(to))
      log.vouch(sybil(from), 'agent:mallory')
    }
    assert.equal(log.flow('agent:mallory'), 0)
    const vouch_id = log.vouch('ben', sybil(0))
    const { flow, cut } = log.score('agent:mallory')
    assert.ok(flow > 0 && flow <= 640_000)
    assert.ok(
      cut.some((part) => part.limit === 'person' || (part.limit === 'vouch' && part.vouch_id === vouch_id)),
    )
  })

  test('get at most the sum of three fooled vouches, however they spread them', () => {
    const log = anHonestLog()
    for (const [number, person] of ['ada', 'ben', 'cleo'].entries()) log.vouch(person, sybil(number))
    for (let from = 0; from < 30; from += 1) {
      log.vouch(sybil(from), 'agent:mallory')
      for (let to = 0; to < 30; to += 1) if (from !== to) log.vouch(sybil(from), sybil(to))
    }
    const most = 800_000 + 640_000 + 512_000
    for (const subject of ['agent:mallory', sybil(0), sybil(29)]) assert.ok(log.flow(subject) <= most)
  })

  test('lose with each rung of a ladder, and have nothing after the fifth', () => {
    const log = anHonestLog()
    log.vouch('ada', sybil(0))
    for (let rung = 0; rung < 10; rung += 1) log.vouch(sybil(rung), sybil(rung + 1))
    const flows = [0, 1, 2, 3, 4, 5, 9].map((rung) => log.flow(sybil(rung)))
    assert.deepEqual(flows, [800_000, 640_000, 512_000, 409_600, 327_680, 0, 0])
  })

  test('behind one fooled person do not multiply her word, however many of them she vouches for', () => {
    const log = anHonestLog()
    for (let number = 0; number < 100; number += 1) {
      log.vouch('cleo', sybil(number))
      log.vouch(sybil(number), 'agent:mallory')
    }
    const { flow, cut } = log.score('agent:mallory')
    assert.equal(flow, 640_000, 'all that cleo can pass on, once')
    assert.deepEqual(cut, [{ limit: 'person', human_ref: 'cleo', capacity: 640_000 }])
  })

  test('who vouch for a victim take nothing from it', () => {
    const log = anHonestLog()
    const before = log.score('ben')
    for (let number = 0; number < 2000; number += 1) log.vouch(sybil(number), 'ben')
    assert.deepEqual(log.score('ben'), before, 'the answer is the same to the last number')
  })

  test('who are reachable and flood a victim beyond the limit do not crowd out its honest vouchers', () => {
    const log = new ATrustLog()
    for (let number = 0; number < 3; number += 1) {
      log.verify(`ada${number}`)
      log.vouch(`ada${number}`, 'victim', { weight: 300_000 })
    }
    log.verify('fooled')
    log.vouch('fooled', 'boss')
    const before = log.flow('victim', { limit: 500 })
    for (let number = 0; number < SYBILS; number += 1) {
      log.vouch('boss', sybil(number))
      log.vouch(sybil(number), 'victim')
    }
    const after = log.score('victim', { limit: 500 })
    assert.equal(before, 3 * 240_000)
    assert.ok(after.truncated)
    assert.ok(after.flow >= before)
  })

  test('gain nothing by withdrawing and vouching again', () => {
    const log = anHonestLog()
    const before = log.score('cleo').flow
    let vouch_id = log.vouch('cleo', 'agent:mallory', { weight: 500_000 })
    const agent = log.flow('agent:mallory')
    log.rate('agent:mallory', 'rejected', 3)
    const lowered = log.flow('agent:mallory')
    for (let time = 0; time < 50; time += 1) {
      log.withdraw(vouch_id)
      assert.equal(log.flow('agent:mallory'), 0)
      vouch_id = log.vouch('cleo', 'agent:mallory', { weight: 500_000 })
    }
    assert.ok(lowered < agent)
    assert.equal(log.flow('agent:mallory'), lowered, 'a new vouch does not clear the old ratings')
    assert.equal(log.flow('cleo'), before)
  })

  test('with second addresses count for nothing: vouching for oneself at L1 adds nothing to what others gave', () => {
    const log = anHonestLog()
    log.vouch('cleo', 'agent:mallory', { weight: 100_000 })
    const before = log.flow('agent:mallory')
    for (let number = 0; number < 20; number += 1) {
      log.verify(`mallory+${number}`, 'L1')
      log.vouch(`mallory+${number}`, 'agent:mallory')
    }
    assert.equal(log.flow('agent:mallory'), before)
  })

  test('who are verified at L1 are not anchors, even if there are thousands', () => {
    const log = anHonestLog()
    for (let number = 0; number < 2000; number += 1) {
      log.verify(sybil(number), 'L1')
      log.vouch(sybil(number), 'agent:mallory')
    }
    assert.deepEqual(log.score('agent:mallory').anchors, 0)
    assert.equal(log.flow('agent:mallory'), 0)
  })
})

describe('raters who conspire', () => {
  test('give no voucher more than the whole word that everyone starts with', () => {
    const log = anHonestLog()
    log.vouch('cleo', 'agent:good')
    const before = log.flow('agent:good')
    log.rate('agent:good', 'approved', 500)
    assert.equal(log.flow('agent:good'), before)
  })

  test('count once per voucher, however many contexts the voucher vouches for the agent in', () => {
    const once = anHonestLog()
    const often = anHonestLog()
    for (const log of [once, often]) {
      log.vouch('cleo', 'agent:mallory')
      log.vouch('cleo', 'agent:friend')
    }
    const ids = Array.from({ length: 50 }, (_, number) =>
      often.vouch('cleo', 'agent:friend', { context: `c${number}` }),
    )
    for (const log of [once, often]) {
      log.rate('agent:mallory', 'rejected', 5)
      log.rate('agent:friend', 'approved', 3)
    }
    assert.equal(often.flow('agent:mallory'), once.flow('agent:mallory'))
    for (const vouch_id of ids) often.withdraw(vouch_id)
    assert.equal(often.flow('agent:mallory'), once.flow('agent:mallory'), 'nor when they are withdrawn')
  })

  test('still count for the other vouch after the first of two for an agent ends', () => {
    const log = anHonestLog()
    const first = log.vouch('cleo', 'agent:mallory')
    log.vouch('cleo', 'agent:mallory', { context: 'code' })
    log.rate('agent:mallory', 'rejected')
    log.withdraw(first)
    log.rate('agent:mallory', 'rejected')
    assert.equal(log.flow('agent:mallory', { context: 'code' }), Math.floor((512_000 * 4) / 12))
  })

  test('who reject an agent lower its vouchers, and nobody else', () => {
    const log = anHonestLog()
    log.vouch('cleo', 'agent:good')
    log.vouch('ada', 'agent:other')
    const [good, other, ben] = [log.flow('agent:good'), log.flow('agent:other'), log.flow('ben')]
    log.rate('agent:good', 'rejected', 100)
    assert.ok(log.flow('agent:good') < good / 50)
    assert.equal(log.flow('agent:other'), other)
    assert.equal(log.flow('ben'), ben)
  })

  test('do not affect people who vouched after the ratings, or withdrew before them', () => {
    const log = anHonestLog()
    log.withdraw(log.vouch('cleo', 'agent:good'))
    const before = log.flow('cleo', { as: 'ben' })
    log.rate('agent:good', 'rejected', 100)
    log.vouch('cleo', 'agent:later')
    log.vouch('ben', 'agent:good')
    assert.equal(log.flow('agent:later'), 512_000)
    assert.equal(log.flow('agent:good'), 640_000)
    assert.equal(log.flow('cleo', { as: 'ben' }), before)
  })
})
