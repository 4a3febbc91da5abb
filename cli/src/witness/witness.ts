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
import { type Memory, originHash } from './memory.ts'
import type { WitnessKey } from './witness-key.ts'

/** Requests that may wait for their turn. Only a flood has so many. */
const MAX_WAITING = 256
const TEXT = 'text/plain; charset=utf-8'

export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

/** Something that the operator should see. */
export interface Notice {
  readonly event: 'contradiction' | 'failure'
  readonly detail: string
  readonly origin?: string
  readonly evidence?: string
}

export interface WitnessDependencies {
  readonly signer: WitnessKey
  readonly memory: Memory
  readonly logs: readonly NoteKey[]
  readonly now_ms: () => number
  readonly notify: (notice: Notice) => void
}

export interface Witness {
  /** Judges, keeps and cosigns, one request at a time for each log. What it cosigned is durable. */
  addCheckpoint(body: string): Promise<Answer>
  /** The last checkpoint of the log whose origin has this hash. */
  checkpoint(origin_hash: string): Answer
  /** Who this is and what it watches, for people. */
  page(): Answer
}

export function witness({ signer, memory, logs, now_ms, notify }: WitnessDependencies): Witness {
  const turns = new Map<string, Promise<unknown>>()
  let waiting = 0

  async function inTurn(origin: string, work: () => Promise<Answer>): Promise<Answer> {
    if (waiting >= MAX_WAITING) return text(503, 'Too many requests wait. Come back in a second.')
    waiting += 1
    const turn = (turns.get(origin) ?? Promise.resolve()).then(work).finally(() => {
      waiting -= 1
    })
    turns.set(
      origin,
      turn.catch(() => {}), // whose turn it was hears of it; the next one comes all the same
    )
    return turn
  }

  async function judge(request: AddCheckpoint, log: NoteKey | undefined): Promise<Answer> {
    const origin = originOf(request)
    const judgement = await judgeCheckpoint(memory.last(origin)?.checkpoint, request, log)
    if (judgement.verdict === 'refuse') {
      keepEvidence(judgement, request, origin)
      return refusal(judgement)
    }
    const time_s = Math.floor(now_ms() / 1000)
    const line = await cosignatureLine(judgement.text, time_s, signer.key, signer.sign)
    try {
      memory.keep({ checkpoint: judgement.checkpoint, note: judgement.note + line })
    } catch (error) {
      notify({ event: 'failure', detail: `The checkpoint cannot be kept: ${error}`, origin })
      return text(503, 'The checkpoint cannot be kept, and so it is not cosigned.')
    }
    return { status: 200, type: TEXT, body: line }
  }

  /** Whatever becomes of the evidence, the answer is the same. */
  function keepEvidence({ contradiction, detail }: Refusal, request: AddCheckpoint, origin: string): void {
    if (contradiction === undefined) return
    try {
      const evidence = memory.keepEvidence(contradiction, origin, request, now_ms())
      if (evidence !== undefined)
        notify({ event: 'contradiction', detail: `${contradiction}: ${detail}`, origin, evidence })
    } catch (error) {
      notify({ event: 'failure', detail: `Evidence of a ${contradiction} cannot be kept: ${error}`, origin })
    }
  }

  return {
    async addCheckpoint(body) {
      const request = requestOf(body)
      if (typeof request === 'string') return text(400, request)
      const origin = originOf(request)
      const log = logs.find(({ name }) => name === origin)
      return log === undefined ? judge(request, undefined) : inTurn(origin, () => judge(request, log))
    },
    checkpoint(origin_hash) {
      const log = logs.find(({ name }) => originHash(name) === origin_hash)
      const note = log === undefined ? undefined : memory.last(log.name)?.note
      if (note === undefined) return text(404, 'No checkpoint of such a log was cosigned here.')
      return { status: 200, type: TEXT, body: note }
    },
    page() {
      const watched = logs.map((log) => logLines(log, memory.last(log.name)?.checkpoint.size))
      return text(
        200,
        [...PAGE, `name  ${signer.key.name}`, `key   ${vkeyOf(signer.key)}`, ...watched].join('\n'),
      )
    },
  }
}

const PAGE = [
  'A witness of Deputy. It cosigns a checkpoint of a log below when the log signed it and proves that it only',
  'continues what was cosigned before. It trusts nobody else, and anybody may ask.',
  '',
]

function logLines(log: NoteKey, size: number | undefined): string {
  const seen = size === undefined ? 'nothing yet' : `${size}   /${originHash(log.name)}/checkpoint`
  return `\nlog   ${vkeyOf(log)}\nsize  ${seen}`
}

/** The request, or what is wrong with it. */
function requestOf(body: string): AddCheckpoint | string {
  try {
    return readAddCheckpoint(body)
  } catch (error) {
    if (error instanceof WitnessingError) return error.message
    throw error
  }
}

function refusal({ status, size, detail }: Refusal): Answer {
  return size === undefined ? text(status, detail) : { status, type: TREE_SIZE_TYPE, body: `${size}\n` }
}

export function text(status: number, sentence: string): Answer {
  return { status, type: TEXT, body: `${sentence}\n` }
}
