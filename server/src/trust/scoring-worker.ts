import { parentPort } from 'node:worker_threads'
import { scoreOf, TrustLedger, type VouchScore } from '@deputize/protocol/trust'
import type {
  LedgerState,
  NumberedAnswer,
  NumberedQuestion,
  ScoreAnswers,
  ScoreQuestion,
  SubjectScore,
} from './messages.ts'
import { neighbourhood } from './neighbourhood.ts'
import { vouchedAgents } from './vouched-agents.ts'

const EMPTY_LOG: LedgerState = { log_size: 0, log_time: undefined }

/** The graph computed from the leaves so far, and the log that it represents. */
class LiveGraph {
  readonly #ledger = new TrustLedger()
  #state = EMPTY_LOG

  get state(): LedgerState {
    return this.#state
  }

  get graph(): TrustLedger['graph'] {
    return this.#ledger.graph
  }

  /** Applies leaves and advances to a later log, which must hold no other leaf that affects the graph. */
  apply(leaves: readonly string[], state: LedgerState): void {
    for (const text of leaves) this.#ledger.apply(JSON.parse(text)) // a leaf, as the store has it
    if (state.log_time !== undefined) this.#ledger.apply({ v: 1, type: 'log.time', at: state.log_time })
    this.#state = state
  }

  takeAffectedAgents(): string[] {
    return this.#ledger.takeAffectedAgents()
  }
}

const live = new LiveGraph()
/** The earlier log that was last requested. A caller who compares scores requests many at one size. */
let past = new LiveGraph()

/** One answer for each kind of question. */
const ANSWERS: {
  readonly [K in ScoreQuestion['kind']]: (
    question: Extract<ScoreQuestion, { readonly kind: K }>,
  ) => ScoreAnswers[K]
} = {
  apply({ leaves, state }) {
    live.apply(leaves, state)
    return null
  },
  score: ({ subject, options }) => scoreOf(live.graph, subject, options),
  scores: ({ subjects, options }) =>
    subjects.map((subject) => withoutExplanation(scoreOf(live.graph, subject, options))),
  replay({ isFirst, leaves, state }) {
    if (isFirst) past = new LiveGraph()
    past.apply(leaves, state ?? EMPTY_LOG)
    return null
  },
  past({ log_size, subject, options }) {
    if (past.state.log_size !== log_size) throw new Error(`the log of ${log_size} is not kept`)
    return scoreOf(past.graph, subject, options)
  },
  around: ({ subject, depth }) => neighbourhood(live.graph, subject, depth),
  vouched_agents: ({ tenant_id, context, most }) => vouchedAgents(live.graph, tenant_id, context, most),
  has_context: ({ context }) => live.graph.contextNumber(context) !== undefined,
  affected: () => live.takeAffectedAgents(),
}

function withoutExplanation({ subject, score, flow }: VouchScore): SubjectScore {
  return { subject, score, flow }
}

function answerTo<K extends ScoreQuestion['kind']>(
  question: Extract<ScoreQuestion, { readonly kind: K }>,
): ScoreAnswers[K] {
  const answer = ANSWERS[question.kind as K] // each kind is answered by the function of that kind
  return answer(question)
}

parentPort?.on('message', ({ id, question }: NumberedQuestion) => {
  let message: NumberedAnswer
  try {
    message = { id, answer: answerTo(question), state: live.state }
  } catch (error) {
    message = { id, failure: error instanceof Error ? String(error.stack) : String(error) }
  }
  parentPort?.postMessage(message)
})
