import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { memoryGuard, PROOF_WINDOW, type Proof } from '@deputize/protocol'
import { aHolder } from '@deputize/testing/a-holder.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import fc from 'fast-check'
import { proofNonces } from '../../src/access/proof-nonces.ts'
import { sharedReplayGuard } from '../../src/access/shared-replay-guard.ts'
import type { EphemeralEntry, EphemeralStore } from '../../src/store/ephemeral.ts'

const START_MS = Date.parse('2027-01-01T00:00:00Z')
/** Late enough that no current proof can be older than the process. */
const NOW_MS = START_MS + 60_000
const { jwk: holder, jkt } = aHolder()

function proofAt(made_at_ms: number, changes: Partial<Proof> = {}): Proof {
  return {
    jti: 'one',
    jkt,
    holder,
    made_at_ms,
    earliest_ms: made_at_ms - PROOF_WINDOW.future_s * 1000,
    ends_at_ms: made_at_ms + PROOF_WINDOW.past_s * 1000 + 1,
    has_nonce: false,
    ...changes,
  }
}

describe('the replay guard of one node', () => {
  test('accepts a proof once while it is valid', () => {
    const guard = memoryGuard(START_MS)
    const proof = proofAt(NOW_MS)
    assert.equal(guard.admit(proof, NOW_MS), 'fresh')
    for (const later_ms of [0, 1, 30_000, 59_999, 60_000])
      assert.equal(guard.admit(proof, NOW_MS + later_ms), 'replayed')
  })

  test('distinguishes proofs by their key and their jti only', () => {
    const guard = memoryGuard(START_MS)
    assert.equal(guard.admit(proofAt(NOW_MS), NOW_MS), 'fresh')
    assert.equal(guard.admit(proofAt(NOW_MS, { jti: 'two' }), NOW_MS), 'fresh')
    assert.equal(guard.admit(proofAt(NOW_MS, { jkt: aHolder().jkt }), NOW_MS), 'fresh')
    assert.equal(guard.admit(proofAt(NOW_MS + 1_000, { has_nonce: true }), NOW_MS), 'replayed')
  })

  test('refuses when it is full, forgets no valid proof, and recovers when proofs expire', () => {
    const guard = memoryGuard(START_MS, 100)
    const proofs = Array.from({ length: 100 }, (_, n) =>
      proofAt(NOW_MS, { jti: `proof ${n}`, jkt: `key ${n}` }),
    )
    for (const proof of proofs) assert.equal(guard.admit(proof, NOW_MS), 'fresh')
    const late_ms = NOW_MS + 60_000
    assert.equal(guard.admit(proofAt(late_ms), late_ms), 'full')
    for (const proof of proofs) assert.equal(guard.admit(proof, late_ms), 'replayed')
    const over_ms = late_ms + 1_000
    assert.equal(guard.admit(proofAt(over_ms), over_ms), 'fresh')
  })

  test('holds 200,000 proofs', () => {
    const guard = memoryGuard(START_MS)
    for (let n = 0; n < 200_000; n += 1)
      assert.equal(guard.admit(proofAt(NOW_MS, { jti: String(n), jkt: `key ${n % 200}` }), NOW_MS), 'fresh')
    assert.equal(guard.admit(proofAt(NOW_MS), NOW_MS), 'full')
    assert.equal(guard.admit(proofAt(NOW_MS, { jti: '0', jkt: 'key 0' }), NOW_MS), 'replayed')
  })

  test('leaves half of its memory to other agents when one of them fills it', () => {
    const guard = memoryGuard(START_MS, 1_000)
    const admit = (key: string, n: number) =>
      guard.admit(proofAt(NOW_MS, { jti: `${key} ${n}`, jkt: key }), NOW_MS)
    const flood = Array.from({ length: 2_000 }, (_, n) => admit('greedy', n))
    assert.equal(flood.filter((admission) => admission === 'fresh').length, 500)
    assert.equal(flood.at(-1), 'full')
    for (let agent = 0; agent < 50; agent += 1)
      for (let n = 0; n < 10; n += 1) assert.equal(admit(`agent ${agent}`, n), 'fresh')
    assert.equal(admit('late', 0), 'full')
    const over_ms = NOW_MS + 120_000
    assert.equal(guard.admit(proofAt(over_ms, { jkt: 'greedy' }), over_ms), 'fresh')
  })

  test('refuses a proof that an earlier process may have accepted, unless it has a nonce of this one', () => {
    const guard = memoryGuard(START_MS)
    const now_ms = START_MS + 1_000
    for (const made_at_ms of [START_MS - 30_000, START_MS, START_MS + 1_000, START_MS + 5_000])
      assert.equal(guard.admit(proofAt(made_at_ms), now_ms), 'unprovable')
    assert.equal(guard.admit(proofAt(START_MS + 6_000), now_ms), 'fresh')
    assert.equal(guard.admit(proofAt(START_MS, { jti: 'two', has_nonce: true }), now_ms), 'fresh')
    assert.equal(guard.admit(proofAt(START_MS, { jti: 'two', has_nonce: true }), now_ms), 'replayed')
  })

  test('accepts nothing twice when the clock is set back', () => {
    const guard = memoryGuard(START_MS)
    const proof = proofAt(NOW_MS)
    assert.equal(guard.admit(proof, NOW_MS), 'fresh')
    assert.equal(guard.admit(proofAt(NOW_MS + 120_000, { jti: 'later' }), NOW_MS + 120_000), 'fresh')
    assert.equal(guard.admit(proof, NOW_MS), 'too_old')
  })

  test('accepts no proof twice, for any order of proofs and any clock', () => {
    const step = fc.record({
      jti: fc.nat(9),
      age_s: fc.integer({ min: -5, max: 60 }),
      wait_ms: fc.integer({ min: -3_000, max: 20_000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const guard = memoryGuard(START_MS, 5)
        const taken = new Set<string>()
        let now_ms = NOW_MS + 60_000
        for (const { jti, age_s, wait_ms } of steps) {
          now_ms += wait_ms
          const made_at_ms = (Math.floor(now_ms / 1000) - age_s) * 1000
          const name = `${jti} of ${made_at_ms}`
          if (guard.admit(proofAt(made_at_ms, { jti: String(jti) }), now_ms) !== 'fresh') continue
          assert.ok(!taken.has(name), name)
          taken.add(name)
        }
      }),
    )
  })
})

/** Keeps the only promise of the port that the guard needs: of several calls that add a key, exactly one gets true. */
function aShelf(): Pick<EphemeralStore, 'add'> & { readonly entries: Map<string, EphemeralEntry> } {
  const entries = new Map<string, EphemeralEntry>()
  return {
    entries,
    async add(kind, entry) {
      const key = `${kind} ${entry.key}`
      if (entries.has(key)) return false
      entries.set(key, entry)
      return true
    },
  }
}

describe('the replay guard of several nodes', () => {
  test('accepts one of many concurrent proofs, on any node', async () => {
    const shelf = aShelf()
    const nodes = [sharedReplayGuard(shelf), sharedReplayGuard(shelf), sharedReplayGuard(shelf)]
    const proof = proofAt(NOW_MS)
    const answers = await Promise.all(
      nodes.flatMap((node) => [node.admit(proof, NOW_MS), node.admit(proof, NOW_MS)]),
    )
    assert.deepEqual(answers.sort(), ['fresh', 'replayed', 'replayed', 'replayed', 'replayed', 'replayed'])
  })

  test('stores a hash for longer than any node accepts the proof', async () => {
    const shelf = aShelf()
    await sharedReplayGuard(shelf).admit(proofAt(NOW_MS, { jti: 'a name' }), NOW_MS)
    const [[name, entry] = []] = shelf.entries
    assert.match(String(name), /^proof [\w-]{43}$/)
    assert.equal(entry?.expires_at_ms, NOW_MS + 60_001 + 60_000)
    assert.doesNotMatch(JSON.stringify(entry), /a name/)
  })
})

describe('a nonce', () => {
  test('is valid for at least two minutes, and only in the process that made it', () => {
    const clock = manualClock()
    const nonces = proofNonces(new Uint8Array(32).fill(1), clock)
    const nonce = nonces.next()
    assert.match(nonce, /^[\w-]{43}$/)
    assert.equal(proofNonces(new Uint8Array(32).fill(2), clock).isFresh(nonce), false)
    for (const wait_ms of [0, 60_000, 60_000]) {
      clock.advance(wait_ms)
      assert.equal(nonces.isFresh(nonce), true)
    }
    clock.advance(60_000)
    assert.equal(nonces.isFresh(nonce), false)
    assert.notEqual(nonces.next(), nonce)
  })

  test('is refused in any other form', () => {
    const nonces = proofNonces(new Uint8Array(32).fill(1), manualClock())
    const nonce = nonces.next()
    for (const other of ['', nonce.slice(1), `${nonce} `, nonce.toLowerCase(), 'ä'.repeat(43)])
      assert.equal(nonces.isFresh(other), false)
  })
})
