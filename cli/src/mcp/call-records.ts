import type { Methods } from '@deputize/sdk'
import type { ActionSpan } from '@deputize/sdk/opentelemetry'
import { errorText } from '../start-problems.ts'
import { waitAtMost } from './wait-at-most.ts'

/** The response of a tool waits at most this long for its record. */
const RESPONSE_DELAY_MS = 2_000
/** The call is over, so its record is worth more attempts than a decision that a client waits for. */
const RETRIES = 6
/** Longer than these attempts usually take. */
const SETTLE_MS = 10_000

export interface CallOutcome {
  readonly result: string
  readonly result_hash?: string | undefined
}

/** The action records of calls. Failures are printed; a record that is never completed expires by itself. */
export interface CallRecords {
  complete(
    call: { readonly aar_id: string | undefined; readonly span: ActionSpan },
    outcome: CallOutcome,
  ): Promise<void>
  cancel(id: string, span: ActionSpan): Promise<void>
  /** Makes `settle` wait for this work. */
  track<T>(work: Promise<T>): Promise<T>
  /** Waits a while for work that is under way. */
  settle(): Promise<void>
}

export function callRecords(
  client: Pick<Methods, 'completeRecord' | 'cancelRecord'>,
  inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  say: (text: string) => void,
): CallRecords {
  const pending = new Set<Promise<unknown>>()

  function track<T>(work: Promise<T>): Promise<T> {
    pending.add(work)
    const done = () => void pending.delete(work)
    work.then(done, done)
    return work
  }

  async function send(id: string, work: () => Promise<unknown>): Promise<void> {
    const sending = inTurn(work).catch((error: unknown) =>
      say(`The action record ${id} could not be completed: ${errorText(error)} It expires automatically.`),
    )
    await waitAtMost(RESPONSE_DELAY_MS, track(sending))
  }

  return {
    track,
    async complete({ aar_id: id, span }, outcome) {
      if (id === undefined) return
      const headers = { ...span.headers() }
      await send(id, () =>
        span.during(() => client.completeRecord({ id, ...outcome }, { headers, retries: RETRIES })),
      )
    },
    async cancel(id, span) {
      const headers = { ...span.headers() }
      await send(id, () => span.during(() => client.cancelRecord({ id }, { headers, retries: RETRIES })))
    },
    async settle() {
      await waitAtMost(SETTLE_MS, Promise.all(pending))
    },
  }
}
