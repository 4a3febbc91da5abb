import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthorityError, type Operation, type OperationId } from '@deputize/protocol'
import type { FastifyInstance } from 'fastify'
import { LoadGauge } from '../../domain/load/load-gauge.ts'
import { type LoadRank, Shedding } from '../../domain/load/load-rank.ts'
import { TurnWork } from '../../domain/load/turn-work.ts'
import type { LoadingRequest } from '../arrived-request.ts'
import { PROBLEM_TYPE, problemAnswer } from '../problem.ts'
import { CallsUnderWay } from './calls-under-way.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Undefined: the call is never refused because of load, and doesn't count as load. */
    load_rank?: LoadRank
    /** Answers late by design, so its duration is no sign of load. */
    takes_long?: boolean
  }
}

export interface LoadSheddingOptions {
  /** The expected wait from which even calls that complete an action are refused. 0 refuses none. */
  readonly longest_wait_ms: number
  /** Returns how long a change would wait for the store. */
  storeWaitMs(): number
  onShed(rank: LoadRank): void
}

/** Weight of a turn of the event loop: every other call waits for its end, even refusals and stops. */
const TURN_WEIGHT = 8
/** Even an idle service reads a call in one turn and answers it in another, so a wait of two turns is not load. */
const TURNS_PER_CALL = 2

const PROBES: readonly OperationId[] = ['getHealth', 'getReadiness', 'getServiceStatus', 'getKeySet']
const COMPLETES: readonly OperationId[] = ['completeRecord']
const RECORDS: readonly OperationId[] = ['recordAction', 'recordBatch', 'rateRecord']
/** These wait for a person, for an event or for a model. */
const TAKES_LONG: readonly OperationId[] = [
  'getApproval',
  'listEvents',
  'pollStream',
  'watchHostedSession',
  'answerStep',
  'capture',
  'enroll',
  'installEngine',
  'testWebhook',
  'testChannel',
]

/** Returns what load shedding needs to know about an operation's route. */
export function loadConfigOf(
  id: OperationId,
  row: Operation,
): { load_rank?: LoadRank; takes_long?: boolean } {
  if (PROBES.includes(id)) return {}
  const takes_long = TAKES_LONG.includes(id) || row.streams !== undefined
  return { load_rank: loadRankOf(id, row), ...(takes_long && { takes_long }) }
}

export function loadRankOf(id: OperationId, { lane, method }: Operation): LoadRank {
  if (lane === 'stop') return 'stop'
  if (COMPLETES.includes(id)) return 'complete'
  if (RECORDS.includes(id)) return 'record'
  return method === 'GET' ? 'read' : 'authorize'
}

/** Admits calls while they can be answered in time, and counts those under way. */
export class LoadShedder {
  readonly #options: LoadSheddingOptions
  readonly #gauge = new LoadGauge()
  readonly #turn = new TurnWork()
  readonly #calls = new CallsUnderWay()
  readonly #shedding: Shedding
  readonly #admitted = new WeakSet<IncomingMessage>()

  constructor(options: LoadSheddingOptions) {
    this.#options = options
    this.#shedding = new Shedding(options.longest_wait_ms)
  }

  /** Returns false after answering with a refusal. Under load there are many refusals, so each must be cheap. */
  admits(rank: LoadRank, request: IncomingMessage, response: ServerResponse): boolean {
    if (this.isRefused(rank, request)) {
      const { status, headers, text } = overloadAnswer()
      response.writeHead(status, headers)
      response.end(text)
      return false
    }
    this.#admitted.add(request)
    this.count(request, response)
    return true
  }

  isAdmitted(request: IncomingMessage): boolean {
    return this.#admitted.has(request)
  }

  isRefused(rank: LoadRank, request: LoadingRequest): boolean {
    const { longest_wait_ms, onShed } = this.#options
    if (longest_wait_ms === 0) return false
    const now_ms = performance.now()
    const turn_ms = this.#turnMs(now_ms)
    const expected_wait_ms =
      Math.max(this.#gauge.expectedWaitMs(now_ms), this.#storeWaitMs()) - this.#turn.usual_ms * TURNS_PER_CALL
    const unread_wait_ms = this.#gauge.isBusy ? turn_ms * TURN_WEIGHT : 0
    const { endless_ms } = this.#turn
    // Without a wait no call is refused, so the caller need not be looked up for most calls.
    const isRefused =
      Math.max(expected_wait_ms, unread_wait_ms, endless_ms) > 0 &&
      this.#shedding.isRefused(
        { rank, is_modest: this.#calls.isModest(request), expected_wait_ms, unread_wait_ms, endless_ms },
        now_ms,
      )
    this.#turn.decide(!isRefused)
    if (isRefused) onShed(rank)
    return isRefused
  }

  /** Counts the call as under way until it is answered or its caller leaves. */
  count(request: IncomingMessage, response: ServerResponse): void {
    // 'close' is emitted once, and this is done for every request: `once` would cost a wrapper.
    response.on('close', this.begin(request))
  }

  /** Counts the call as under way until the returned function is called. */
  begin(request: LoadingRequest): () => void {
    this.#gauge.begin(1, performance.now())
    const end = this.#calls.begin(request)
    return () => {
      this.#gauge.end(1, performance.now())
      end()
    }
  }

  /** With few calls under way, one may be a large batch. Then only a wait beyond the whole limit counts. */
  #storeWaitMs(): number {
    const wait_ms = this.#options.storeWaitMs()
    return this.#gauge.isBusy || wait_ms > this.#options.longest_wait_ms ? wait_ms : 0
  }

  #turnMs(now_ms: number): number {
    if (!this.#turn.hasBegun) setImmediate(() => this.#turn.end(performance.now())) // runs after everything that has arrived was read
    return this.#turn.advance(now_ms)
  }
}

/** Created once, because the stack trace of an error costs more than the rest of a refusal. */
const OVERLOADED = new AuthorityError('overloaded')
const REFUSAL = problemAnswer(OVERLOADED, '')
/** The body up to the request id, which is its last member. */
const REFUSAL_START = JSON.stringify({ ...REFUSAL.body, request_id: '' }).slice(0, -2)

interface LeanAnswer {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

/** Refuses calls before reading their credential and body, unless they were already admitted. */
export function shedLoad(app: FastifyInstance, shedder: LoadShedder): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { load_rank: rank, takes_long } = request.routeOptions.config
    if (rank === undefined || shedder.isAdmitted(request.raw)) done()
    else if (shedder.isRefused(rank, request.raw)) done(OVERLOADED)
    else {
      if (takes_long !== true) shedder.count(request.raw, reply.raw)
      done()
    }
  })
}

/** Returns the answer to a call that is refused unread. */
export function overloadAnswer(): LeanAnswer {
  const request_id = `shed-${randomUUID()}`
  const text = `${REFUSAL_START}${request_id}"}`
  const headers = {
    'content-type': PROBLEM_TYPE,
    'content-length': String(Buffer.byteLength(text)),
    'retry-after': String(REFUSAL.retry_after_s),
    'x-request-id': request_id,
    'x-content-type-options': 'nosniff',
  }
  return { status: REFUSAL.status, headers, text }
}
