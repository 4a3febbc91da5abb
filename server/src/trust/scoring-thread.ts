import { Worker } from 'node:worker_threads'
import type {
  LedgerState,
  NumberedAnswer,
  NumberedQuestion,
  ScoreAnswers,
  ScoreQuestion,
} from './messages.ts'

/** Scores that are computed at a time, so that single questions get their turn in between. */
export const SCORES_AT_ONCE = 5

/** An answer, and the log that it is computed from. */
export interface AnswerAsOf<Answer> {
  readonly answer: Answer
  readonly as_of: LedgerState
}

/** The thread that holds the trust graph. A failed question rejects, and leaves the thread unchanged. */
export interface ScoringThread {
  ask<K extends ScoreQuestion['kind']>(
    question: Extract<ScoreQuestion, { readonly kind: K }>,
  ): Promise<AnswerAsOf<ScoreAnswers[K]>>
  close(): Promise<void>
}

/** Starts the thread with an empty graph. `onEnd` is called when it ends by itself: its graph is lost. */
export function startScoringThread(onEnd: (cause: Error) => void): ScoringThread {
  const worker = new Worker(new URL('./scoring-worker.ts', import.meta.url))
  worker.unref()
  const open = new Map<number, { resolve(answer: unknown): void; reject(cause: Error): void }>()
  let last = 0
  let isClosing = false

  worker.on('message', (message: NumberedAnswer) => {
    const asked = open.get(message.id)
    open.delete(message.id)
    if ('failure' in message) asked?.reject(new Error(message.failure))
    else asked?.resolve({ answer: message.answer, as_of: message.state })
  })
  worker.on('error', (cause) => end(cause instanceof Error ? cause : new Error(String(cause))))
  worker.on('exit', (code) => end(new Error(`the scoring thread ended with code ${code}`)))

  function end(cause: Error): void {
    for (const { reject } of open.values()) reject(cause)
    open.clear()
    if (!isClosing) onEnd(cause)
    isClosing = true
  }

  return {
    ask<K extends ScoreQuestion['kind']>(question: Extract<ScoreQuestion, { readonly kind: K }>) {
      if (isClosing) return Promise.reject(new Error('the scoring thread has ended'))
      last += 1
      const id = last
      return new Promise<AnswerAsOf<ScoreAnswers[K]>>((resolve, reject) => {
        // The thread answers each kind of question with the answer of that kind.
        open.set(id, { resolve: (answer) => resolve(answer as AnswerAsOf<ScoreAnswers[K]>), reject })
        worker.postMessage({ id, question } satisfies NumberedQuestion)
      })
    },
    async close() {
      isClosing = true
      await worker.terminate()
    },
  }
}
