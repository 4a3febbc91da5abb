import assert from 'node:assert/strict'
import { describe, mock, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { TrustLedger } from '@deputize/protocol/trust'
import type { AskedScore, KeptScore } from '../../src/domain/vouch.ts'
import { openTrustScores, type TrustScores, type TrustScoresOptions } from '../../src/trust/trust-scores.ts'
import { vouchedAgents } from '../../src/trust/vouched-agents.ts'

const AT = '2026-01-01T00:00:00.000Z'

type Leaf = { readonly v: 1; readonly type: string; readonly at: string; readonly [name: string]: unknown }

const leafOf = (type: string, members: object): Leaf => ({ v: 1, type, at: AT, ...members })

const verified = (human_ref: string): Leaf =>
  leafOf('session.begun', { human_ref, tenant_id: 'default', assurance_level: 'L2' })

const vouchMade = (vouch_id: string, from: string, agent_id: string): Leaf =>
  leafOf('vouch.made', { vouch_id, tenant_id: 'default', from, to: { agent_id }, weight: 1_000_000 })

/** A log in memory, with its stored scores. */
class ALog {
  readonly leaves: Leaf[] = []
  readonly kept = new Map<string, KeptScore>()
  agents: readonly string[] = []
  /** Called before leaves are read, and before a page of agents. */
  onLeaves = async (): Promise<void> => {}
  onPage = (_after: string): void => {}
  onTrouble = (cause: unknown, _what: string): void => assert.fail(String(cause))

  open(t: TestContext): TrustScores {
    const scores = openTrustScores({
      reader: this.#reader() as unknown as TrustScoresOptions['reader'], // scores read nothing else of a store
      clerk: { submit: (command) => this.#submit(command) as never }, // scores need no answer
      onTrouble: (cause, what) => this.onTrouble(cause, what),
    })
    t.after(() => scores.close())
    return scores
  }

  #reader() {
    const stored = () => this.leaves.map((leaf, log_index) => ({ log_index, text: JSON.stringify(leaf) }))
    return {
      trust: {
        leaves: async (since: number, limit: number) => {
          await this.onLeaves()
          const leaves = stored().slice(since, since + limit)
          return { leaves, log_size: this.leaves.length, last_ms: Date.parse(AT) }
        },
        askedScores: async (after: string, limit: number): Promise<AskedScore[]> => {
          this.onPage(after)
          return this.agents
            .filter((agent_id) => agent_id > after)
            .slice(0, limit)
            .map((agent_id) => ({ agent_id, asked_index: 0, kept: this.kept.get(agent_id) }))
        },
      },
      log: {
        leaves: async (from: number, to: number) =>
          stored()
            .slice(from, to)
            .map(({ text }) => text),
      },
    }
  }

  async #submit(command: { readonly kind: string }): Promise<void> {
    assert.ok(command.kind === 'keep_scores' && 'scores' in command)
    for (const { agent_id, ...kept } of command.scores as readonly (KeptScore & { agent_id: string })[])
      this.kept.set(agent_id, kept)
  }
}

describe('kept scores', () => {
  test('follow a vouch that is made while the pages of agents are read', async (t) => {
    const log = new ALog()
    log.agents = Array.from({ length: 1001 }, (_, number) => `a${String(number).padStart(4, '0')}`)
    log.leaves.push(verified('ada'))
    const scores = log.open(t)
    await scores.keepScores()
    assert.equal(log.kept.get('a0000')?.score, 0)
    log.onPage = (after) => {
      if (after !== '' && log.leaves.length === 1) log.leaves.push(vouchMade('vch_1', 'ada', 'agent:a0000'))
    }
    await scores.keepScores()
    await scores.keepScores()
    assert.deepEqual(log.kept.get('a0000'), { score: 411_764, log_size: 2 })
  })
})

describe('questions about scores', () => {
  const question = { subject: 'agent:a', context: undefined, as: undefined, at: undefined }
  const refused = { code: 'trust_unavailable' }

  test('whose callers gave up still count, until they are answered', async (t) => {
    const log = new ALog()
    log.leaves.push(verified('ada'))
    const scores = log.open(t)
    const stuck = Promise.withResolvers<void>()
    log.onLeaves = () => stuck.promise
    mock.timers.enable({ apis: ['setTimeout'] })
    t.after(() => mock.timers.reset())
    const asked = Array.from({ length: 64 }, () => assert.rejects(scores.score(question), refused))
    mock.timers.tick(5_000)
    await Promise.all(asked)
    await assert.rejects(scores.score(question), {
      ...refused,
      members: { reason: 'Too many scores were requested at once.', retry_after_s: 1 },
    })
    stuck.resolve()
    let answer = await scores.score(question).catch(() => undefined)
    while (answer === undefined) {
      await setImmediate()
      answer = await scores.score(question).catch(() => undefined)
    }
    assert.equal(answer.answer.flow, 0)
  })

  test('about earlier logs replay one log at a time', async (t) => {
    const log = new ALog()
    log.leaves.push(verified('ada'), vouchMade('vch_1', 'ada', 'agent:a'))
    const scores = log.open(t)
    mock.timers.enable({ apis: ['setTimeout'] }) // a slow machine needs longer than a caller waits
    t.after(() => mock.timers.reset())
    let [reading, most] = [0, 0]
    log.onLeaves = async () => {
      reading += 1
      most = Math.max(most, reading)
      await Promise.resolve()
      reading -= 1
    }
    const answers = await Promise.all([0, 1, 2, 2, 1].map((at) => scores.score({ ...question, at })))
    assert.deepEqual(
      answers.map(({ answer }) => answer.flow),
      [0, 0, 700_000, 700_000, 0],
    )
    assert.equal(most, 1)
  })

  test('about the same earlier log read it once, and about the current log not at all', async (t) => {
    const log = new ALog()
    log.leaves.push(
      verified('ada'),
      vouchMade('vch_1', 'ada', 'agent:a'),
      vouchMade('vch_2', 'ada', 'agent:b'),
    )
    const scores = log.open(t)
    mock.timers.enable({ apis: ['setTimeout'] }) // a slow machine needs longer than a caller waits
    t.after(() => mock.timers.reset())
    const flowAt = async (at: number, subject = 'agent:a') =>
      (await scores.score({ ...question, subject, at })).answer.flow
    await flowAt(3) // loads the current log
    let reads = 0
    log.onLeaves = async () => {
      reads += 1
    }
    const readsFor = async (...asked: Parameters<typeof flowAt>) => {
      reads = 0
      return [await flowAt(...asked), reads]
    }
    // One read finds that nothing is new.
    assert.deepEqual(await readsFor(3, 'agent:b'), [700_000, 1])
    assert.deepEqual(await readsFor(2), [700_000, 2])
    assert.deepEqual(await readsFor(2, 'agent:b'), [0, 1])
    assert.deepEqual(await readsFor(1), [0, 2])
    assert.deepEqual(await readsFor(2), [700_000, 2])
    log.leaves.push(leafOf('vouch.withdrawn', { vouch_id: 'vch_1', by: 'person' }))
    assert.deepEqual(await readsFor(2), [700_000, 1])
    assert.deepEqual(await readsFor(4), [0, 1])
  })
})

describe('a replay of an earlier log', () => {
  test('lets other questions take turns in between', async (t) => {
    const log = new ALog()
    log.leaves.push(verified('ada'), vouchMade('vch_1', 'ada', 'agent:a'))
    for (let number = 0; number < 6_000; number += 1) log.leaves.push(verified(`person${number}`))
    const threads: Worker[] = []
    const note = (thread: Worker) => threads.push(thread)
    process.on('worker', note)
    t.after(() => process.off('worker', note))
    const scores = log.open(t)
    mock.timers.enable({ apis: ['setTimeout'] }) // a slow machine needs longer than a caller waits
    t.after(() => mock.timers.reset())
    const ask = (at?: number) => scores.score({ subject: 'agent:a', context: undefined, as: undefined, at })
    await ask() // loads the current log
    const sent: { readonly kind: string; readonly leaves?: readonly string[] }[] = []
    const [thread] = threads
    assert.ok(thread)
    const post = thread.postMessage.bind(thread)
    thread.postMessage = (message: { readonly question: (typeof sent)[number] }) => {
      sent.push(message.question)
      // The other question arrives while the first leaves are replayed.
      if (sent.length === 1) other = ask()
      post(message)
    }
    let other: Promise<unknown> | undefined
    const { answer } = await ask(log.leaves.length - 1)
    await other
    assert.equal(answer.flow, 700_000)
    assert.deepEqual(
      sent.map(({ kind }) => kind),
      ['replay', 'score', 'replay', 'replay', 'replay', 'past'],
    )
    assert.ok(sent.every(({ leaves = [] }) => leaves.length <= 2_000))
  })
})

describe('a scoring thread that is killed', () => {
  test('fails its current question, and another thread answers the next ones', async (t) => {
    const log = new ALog()
    log.leaves.push(
      verified('ada'),
      vouchMade('vch_1', 'ada', 'agent:a'),
      vouchMade('vch_2', 'ada', 'agent:b'),
    )
    const troubles: string[] = []
    log.onTrouble = (_, what) => troubles.push(what)
    const threads: Worker[] = []
    const note = (thread: Worker) => threads.push(thread)
    process.on('worker', note)
    t.after(() => process.off('worker', note))
    mock.timers.enable({ apis: ['setTimeout'] }) // a slow machine needs longer than a caller waits
    t.after(() => mock.timers.reset())
    const scores = log.open(t)
    const ask = async (at?: number) =>
      (await scores.score({ subject: 'agent:b', context: undefined, as: undefined, at })).answer.flow
    assert.deepEqual([await ask(), await ask(2)], [700_000, 0])
    const reading = Promise.withResolvers<void>()
    log.onLeaves = () => reading.promise
    const had = assert.rejects(ask(), { code: 'trust_unavailable' })
    const waits = ask()
    await threads[0]?.terminate()
    log.onLeaves = async () => {}
    reading.resolve()
    await had
    assert.equal(await waits, 700_000)
    assert.ok(troubles.includes('scoring thread ended: it restarts when it is needed'), troubles.join('; '))
    assert.deepEqual([await ask(2), await ask()], [0, 700_000])
    assert.equal(threads.length, 2)
  })
})

describe('the ranking', () => {
  test('is not filled with agents that only made-up people vouch for', () => {
    const ledger = new TrustLedger()
    for (let number = 0; number < 50; number += 1)
      ledger.apply(vouchMade(`vch_${number}`, 'sybil', `agent:fake${number}`))
    ledger.apply(verified('ada'))
    ledger.apply(vouchMade('vch_good', 'ada', 'agent:good'))
    assert.deepEqual(vouchedAgents(ledger.graph, 'default', undefined, 10), {
      agents: ['agent:good'],
      truncated: false,
    })
  })

  test('in a context without vouches is the one without a context, and is not computed again', async (t) => {
    const log = new ALog()
    log.leaves.push(verified('ada'), vouchMade('vch_1', 'ada', 'agent:a'))
    const scores = log.open(t)
    const plain = await scores.ranking('default', undefined)
    log.leaves.push(leafOf('vouch.withdrawn', { vouch_id: 'vch_1', by: 'person' }))
    assert.deepEqual(await scores.ranking('default', 'never-used'), plain)
  })

  test('is computed for one context at a time, and a tenant waits for few', async (t) => {
    const log = new ALog()
    log.leaves.push(verified('ada'))
    const contexts = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6']
    for (const context of contexts)
      log.leaves.push({ ...vouchMade(`vch_${context}`, 'ada', 'agent:a'), context })
    const scores = log.open(t)
    const results = await Promise.allSettled(contexts.map((context) => scores.ranking('default', context)))
    const refused = results.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []))
    assert.deepEqual(refused, ['trust_unavailable', 'trust_unavailable'])
    assert.equal((await scores.ranking('default', 'c6')).answer.agents.length, 1)
  })

  test('is no longer shown after half a minute', async (t) => {
    const log = new ALog()
    log.leaves.push(verified('ada'), vouchMade('vch_1', 'ada', 'agent:a'))
    const scores = log.open(t)
    assert.equal((await scores.ranking('default', undefined)).answer.agents.length, 1)
    log.leaves.push(leafOf('vouch.withdrawn', { vouch_id: 'vch_1', by: 'person' }))
    const now = performance.now()
    t.mock.method(performance, 'now', () => now + 60_000)
    assert.deepEqual((await scores.ranking('default', undefined)).answer.agents, [])
  })
})
