import {
  type AddCheckpoint,
  cosignatureLine,
  judgeCheckpoint,
  type NoteKey,
  originOf,
  type Refusal,
  readAddCheckpoint,
  TREE_SIZE_TYPE,
  vkeyOf,
  WitnessingError,
} from '@deputize/protocol'
import { originHash, type WitnessState } from './state.ts'
import type { WitnessKey } from './witness-key.ts'

/** The most requests that may wait for their turn. */
const MAX_WAITING = 256
const TEXT_TYPE = 'text/plain; charset=utf-8'

export interface WitnessResponse {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** An event that the operator should see. */
export interface WitnessNotice {
  readonly event: 'contradiction' | 'failure'
  readonly detail: string
  readonly origin?: string
  readonly evidence?: string
}

export interface WitnessDependencies {
  readonly signer: WitnessKey
  readonly state: WitnessState
  readonly logs: readonly NoteKey[]
  readonly now_ms: () => number
  readonly notify: (notice: WitnessNotice) => void
}

export interface Witness {
  /** Checks, saves and cosigns a checkpoint, one request at a time for each log. A cosigned checkpoint is durable. */
  addCheckpoint(body: string): Promise<WitnessResponse>
  /** The last cosigned checkpoint of the log whose origin has this hash. */
  checkpoint(origin_hash: string): WitnessResponse
  /** A page for people: the key of the witness and the watched logs. */
  page(): WitnessResponse
}

export function openWitness({ signer, state, logs, now_ms, notify }: WitnessDependencies): Witness {
  const turns = new Map<string, Promise<unknown>>()
  let waiting = 0

  async function inTurn(origin: string, work: () => Promise<WitnessResponse>): Promise<WitnessResponse> {
    if (waiting >= MAX_WAITING)
      return textResponse(503, 'Too many requests are waiting. Try again in a second.')
    waiting += 1
    const turn = (turns.get(origin) ?? Promise.resolve()).then(work).finally(() => {
      waiting -= 1
    })
    turns.set(
      origin,
      turn.catch(() => {}), // its caller gets the error; the next request still runs
    )
    return turn
  }

  async function judge(request: AddCheckpoint, log: NoteKey | undefined): Promise<WitnessResponse> {
    const origin = originOf(request)
    const judgement = await judgeCheckpoint(state.last(origin)?.checkpoint, request, log)
    if (judgement.verdict === 'refuse') {
      keepEvidence(judgement, request, origin)
      return refusalResponse(judgement)
    }
    const time_s = Math.floor(now_ms() / 1000)
    const line = await cosignatureLine(judgement.text, time_s, signer.key, signer.sign)
    try {
      // A crash after this leaves a saved checkpoint without a response; the log can submit it again.
      state.keep({ checkpoint: judgement.checkpoint, note: judgement.note + line })
    } catch (error) {
      notify({ event: 'failure', detail: `The checkpoint cannot be saved: ${error}`, origin })
      return textResponse(503, 'The checkpoint cannot be saved, so it was not cosigned.')
    }
    return { status: 200, type: TEXT_TYPE, body: line }
  }

  /** The response does not depend on whether the evidence could be saved. */
  function keepEvidence({ contradiction, detail }: Refusal, request: AddCheckpoint, origin: string): void {
    if (contradiction === undefined) return
    try {
      const evidence = state.keepEvidence(contradiction, origin, request, now_ms())
      if (evidence !== undefined)
        notify({ event: 'contradiction', detail: `${contradiction}: ${detail}`, origin, evidence })
    } catch (error) {
      notify({ event: 'failure', detail: `Evidence of a ${contradiction} cannot be saved: ${error}`, origin })
    }
  }

  return {
    async addCheckpoint(body) {
      const request = parsedRequest(body)
      if (typeof request === 'string') return textResponse(400, request)
      const origin = originOf(request)
      const log = logs.find(({ name }) => name === origin)
      return log === undefined ? judge(request, undefined) : inTurn(origin, () => judge(request, log))
    },
    checkpoint(origin_hash) {
      const log = logs.find(({ name }) => originHash(name) === origin_hash)
      const note = log === undefined ? undefined : state.last(log.name)?.note
      if (note === undefined)
        return textResponse(404, 'This witness has not cosigned a checkpoint of that log.')
      return { status: 200, type: TEXT_TYPE, body: note }
    },
    page() {
      const watched = logs.map((log) => logLines(log, state.last(log.name)?.checkpoint.size))
      return textResponse(
        200,
        [...PAGE_HEADER, `name  ${signer.key.name}`, `key   ${vkeyOf(signer.key)}`, ...watched].join('\n'),
      )
    },
  }
}

const PAGE_HEADER = [
  'A Deputy witness. It cosigns checkpoints of the logs below. A checkpoint must be signed by its log, with a proof that',
  'the log only grew since the last cosigned checkpoint. Anyone may submit checkpoints.',
  '',
]

function logLines(log: NoteKey, size: number | undefined): string {
  const seen = size === undefined ? 'no checkpoint yet' : `${size}   /${originHash(log.name)}/checkpoint`
  return `\nlog   ${vkeyOf(log)}\nsize  ${seen}`
}

/** The request, or what is wrong with it. */
function parsedRequest(body: string): AddCheckpoint | string {
  try {
    return readAddCheckpoint(body)
  } catch (error) {
    if (error instanceof WitnessingError) return error.message
    throw error
  }
}

function refusalResponse({ status, size, detail }: Refusal): WitnessResponse {
  return size === undefined
    ? textResponse(status, detail)
    : { status, type: TREE_SIZE_TYPE, body: `${size}\n` }
}

export function textResponse(status: number, sentence: string): WitnessResponse {
  return { status, type: TEXT_TYPE, body: `${sentence}\n` }
}
