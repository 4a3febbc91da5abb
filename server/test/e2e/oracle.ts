import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { HttpClient } from '@deputize/testing/http-client.ts'
import { openedWords } from '../opened-words.ts'
import { storeRows } from './audit-store.ts'

type Kind = 'issue' | 'record' | 'authorize' | 'complete' | 'rate'

/** A write that a caller requested. Its marker is its Idempotency-Key and part of the written data. */
interface Attempt {
  readonly kind: Kind
  readonly marker: string
  readonly path: string
  readonly body: Record<string, unknown>
}

interface Acknowledged extends Attempt {
  readonly answer: Answer['body']
}

/**
 * Remembers every acknowledged write, and every write without an answer. The store must contain each of the former
 * exactly once, and of the latter whatever a retry confirms.
 */
export interface Oracle {
  /** Sends writes of all kinds until `isOver` returns true or a request fails. Resolves to the failure, if any. */
  load(client: HttpClient, isOver?: () => boolean): Promise<Error | undefined>
  /**
   * Repeats the uncertain writes with the same keys, so that all are known to have happened. Resolves to their number.
   */
  retry(client: HttpClient): Promise<number>
  /** Reads back everything acknowledged since the last call. Fails at the first missing or different entry. */
  assertKept(client: HttpClient): Promise<void>
  /**
   * Compares the whole store with everything ever acknowledged here and in `others`: nothing lost, nothing duplicated,
   * nothing else.
   */
  assertExactly(directory: string, others?: Partial<Record<Kind, readonly string[]>>): void
  acknowledged(): number
  /** Number of acknowledged writes of each kind. */
  counts(): Record<Kind, number>
  /** Number of times that a write got 503. */
  refused(): number
}

const PARALLEL = 32
/** The pause after a write got 503. */
const PAUSE_MS = 20
const RESULTS = ['success', 'success', 'error', 'partial', 'cancelled']
const RATINGS = ['approved', 'flagged', 'rejected']

export function oracle(): Oracle {
  const kept: Acknowledged[] = []
  const uncertain: Attempt[] = []
  let checked = 0
  let markers = 0
  let refused = 0
  const nextMarker = () => `m${++markers}`

  /** Sends a write. Throws if there is no answer, after noting that the write may have happened. */
  async function attempt(client: HttpClient, wanted: Attempt): Promise<Answer['body']> {
    let answer: Answer
    try {
      answer = await client.post(wanted.path, wanted.body, { 'idempotency-key': wanted.marker })
    } catch (error) {
      uncertain.push(wanted)
      throw error
    }
    if (answer.status === 503) {
      uncertain.push(wanted)
      refused += 1
      await sleep(PAUSE_MS)
      return undefined
    }
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    kept.push({ ...wanted, answer: answer.body })
    return answer.body
  }

  async function round(client: HttpClient, jti: string): Promise<void> {
    const recorded = await attempt(client, recordAttempt(nextMarker(), jti))
    if (recorded !== undefined) await attempt(client, rateAttempt(nextMarker(), recorded.aar_id))
    const authorized = await attempt(client, authorizeAttempt(nextMarker(), jti))
    if (authorized === undefined) return
    assert.equal(authorized.authorized, true)
    if (markers % 3 !== 0) await attempt(client, completeAttempt(nextMarker(), authorized.aar_id))
  }

  return {
    async load(client, isOver = () => false) {
      try {
        let token: Answer['body']
        for (let rounds = 0; !isOver(); rounds++) {
          if (token === undefined || rounds % 4 === 0)
            token = await attempt(client, issueAttempt(nextMarker()))
          if (token !== undefined) await round(client, token.jti)
        }
      } catch (error) {
        if (error instanceof assert.AssertionError || !(error instanceof Error)) throw error
        return error
      }
      return undefined
    },

    async retry(client) {
      const again = uncertain.splice(0)
      for (let start = 0; start < again.length; start += PARALLEL)
        await Promise.all(again.slice(start, start + PARALLEL).map((wanted) => attempt(client, wanted)))
      return again.length
    },

    async assertKept(client) {
      const fresh = kept.slice(checked)
      checked = kept.length
      for (let start = 0; start < fresh.length; start += PARALLEL)
        await Promise.all(fresh.slice(start, start + PARALLEL).map((write) => assertRead(client, write)))
      for (const { path, body, marker, answer } of fresh.filter((_, index) => index % 20 === 0)) {
        const replayed = await client.post(path, body, { 'idempotency-key': marker })
        assert.equal(replayed.headers['idempotency-replayed'], 'true')
        assert.deepEqual(replayed.body, answer)
      }
    },

    assertExactly(directory, others = {}) {
      assert.deepEqual(uncertain, [], 'retry what is uncertain first')
      const wanted = (...kinds: Kind[]) =>
        kept
          .filter(({ kind }) => kinds.includes(kind))
          .map(({ marker }) => marker)
          .concat(...kinds.map((kind) => others[kind] ?? []))
          .sort()
      const stored = (sql: string) =>
        storeRows(directory, sql)
          .map(({ marker }) => String(marker))
          .sort()
      const purposes = openedWords(
        directory,
        'token.purpose',
        'SELECT jti AS row, purpose AS sealed FROM tokens',
      )
      assert.deepEqual(purposes.sort(), wanted('issue'))
      const metadata = openedWords(
        directory,
        'record.metadata',
        'SELECT aar_id AS row, metadata AS sealed FROM records',
      )
      assert.deepEqual(metadata.map((text) => JSON.parse(text).marker).sort(), wanted('record', 'authorize'))
      const notes = openedWords(
        directory,
        'rating.note',
        `SELECT aar_id AS row, note AS sealed FROM ratings JOIN records ON records.log_index = record_index`,
      )
      assert.deepEqual(notes.sort(), wanted('rate'))
      assert.deepEqual(
        stored('SELECT result_hash AS marker FROM records WHERE completion_digest IS NOT NULL'),
        wanted('complete').map(hashOf).sort(),
      )
    },

    acknowledged: () => kept.length,
    counts() {
      const counts = { issue: 0, record: 0, authorize: 0, complete: 0, rate: 0 }
      for (const { kind } of kept) counts[kind] += 1
      return counts
    },
    refused: () => refused,
  }
}

function hashOf(marker: string): string {
  return `sha256:${createHash('sha256').update(marker).digest('hex')}`
}

function pick(list: readonly string[], marker: string): string | undefined {
  return list[Number(marker.slice(1)) % list.length]
}

function issueAttempt(marker: string): Attempt {
  const agent_id = `bot-${Number(marker.slice(1)) % 7}`
  return {
    kind: 'issue',
    marker,
    path: '/v1/vat/issue/l1',
    body: anIssueRequest({ agent_id, purpose: marker, constraints: { max_spend_usd: 1 } }),
  }
}

function recordAttempt(marker: string, vat_jti: string): Attempt {
  const result = pick(RESULTS, marker)
  return {
    kind: 'record',
    marker,
    path: '/v1/vat/record/action',
    body: {
      vat_jti,
      action: 'read',
      resource: 'email:read',
      result,
      spend_usd: 0.000001,
      metadata: { marker },
    },
  }
}

function authorizeAttempt(marker: string, vat_jti: string): Attempt {
  return {
    kind: 'authorize',
    marker,
    path: '/v1/vat/authorize',
    body: {
      vat_jti,
      action: 'write',
      resource: 'calendar:events',
      spend_usd: 0.000003,
      metadata: { marker },
    },
  }
}

function completeAttempt(marker: string, aar_id: string): Attempt {
  return {
    kind: 'complete',
    marker,
    path: `/v1/vat/aar/${aar_id}/complete`,
    body: { result: pick(RESULTS, marker), result_hash: hashOf(marker), spend_usd: 0.000002 },
  }
}

function rateAttempt(marker: string, aar_id: string): Attempt {
  return {
    kind: 'rate',
    marker,
    path: `/v1/vat/aar/${aar_id}/feedback`,
    body: { rating: pick(RATINGS, marker), note: marker },
  }
}

/** Asserts that the acknowledged data is stored unchanged. */
async function assertRead(client: HttpClient, { kind, marker, body, answer }: Acknowledged): Promise<void> {
  const read = async (path: string) => {
    const found = await client.get(path)
    assert.equal(found.status, 200, `${kind} ${marker} was acknowledged and is lost`)
    return found.body
  }
  switch (kind) {
    case 'issue': {
      const token = await read(`/v1/vat/tokens/${answer.jti}`)
      assert.equal(token.purpose, marker)
      assert.deepEqual(token.claims, answer.claims)
      return
    }
    case 'record':
    case 'authorize': {
      const record = await read(`/v1/vat/aar/${answer.aar_id}`)
      assert.deepEqual(record.metadata, { marker })
      assert.equal(record.provenance_ref, answer.provenance_ref)
      assert.equal(record.trust_score, answer.trust_score)
      if (kind === 'record') assert.equal(record.result, body.result)
      return
    }
    case 'complete':
      assert.deepEqual(await read(`/v1/vat/aar/${answer.aar_id}`), answer)
      return
    case 'rate': {
      const { rating, note, feedback_at } = await read(`/v1/vat/aar/${answer.aar_id}`)
      assert.deepEqual({ rating, feedback_at }, { rating: answer.rating, feedback_at: answer.feedback_at })
      assert.equal(note, marker)
      return
    }
  }
}
