import type { Deputy } from '../client.ts'
import type {
  CollectedSession,
  CreateHostedSessionAnswer,
  CreateHostedSessionInput,
  WatchHostedSessionAnswer,
} from '../generated/operations.ts'

/** The person to verify, and the token that they are asked to confirm. */
export type PersonToVerify = Omit<CreateHostedSessionInput, 'purpose'>

/** Options of `verifyPerson`. */
export interface VerifyPersonOptions {
  /** Stops waiting. The session stays open until it expires; cancel it with `client.cancelVerificationSession`. */
  readonly signal?: AbortSignal | undefined
  /** Called with the person's progress each time it has changed. */
  readonly onChange?: (seen: WatchHostedSessionAnswer) => void
}

/** The session ended without a verified person. Nothing was issued. */
export class PersonNotVerified extends Error {
  readonly session_id: string
  /** How it ended: `judged`, `cancelled` or `expired`. */
  readonly state: WatchHostedSessionAnswer['state']
  readonly decision: WatchHostedSessionAnswer['decision']
  /** Why, in plain words. */
  readonly reasons: readonly string[]

  constructor({ session_id, state, decision, reasons }: WatchHostedSessionAnswer) {
    super(`The person was not verified: ${reasons.join(' ') || `the session is ${state}`}`)
    this.name = 'PersonNotVerified'
    this.session_id = session_id
    this.state = state
    this.decision = decision
    this.reasons = reasons
  }
}

/**
 * Has a person verified on a page of the service, and collects the result with the requested token. `send` takes the
 * person to `session.url`, or shows the widget with `session.session_id` and `session.client_token`. Waits until the
 * session ends: 15 minutes, or `expires_in` seconds.
 *
 * @example
 * ```ts
 * import { deputy, verifyPerson } from '@deputize/sdk'
 *
 * const client = deputy({ url: 'http://127.0.0.1:8420' })
 *
 * export async function confirmPayment(human_ref: string, mail: (link: string) => Promise<void>) {
 *   const request = { agent_id: 'invoice-bot', resources: ['payments:invoices'], actions: ['pay'] }
 *   const { token } = await verifyPerson(client, { human_ref, request }, ({ url }) => mail(url))
 *   return token
 * }
 * ```
 */
export async function verifyPerson(
  client: Pick<Deputy, 'createHostedSession' | 'watchHostedSession' | 'collectHostedSession'>,
  person: PersonToVerify,
  send: (session: CreateHostedSessionAnswer) => unknown,
  { signal, onChange }: VerifyPersonOptions = {},
): Promise<CollectedSession> {
  const session = await client.createHostedSession({ purpose: 'verify', ...person }, { signal })
  await send(session)
  const key = { id: session.session_id, client_token: session.client_token }
  let seen = await client.watchHostedSession(key, { signal })
  onChange?.(seen)
  while (isUndecided(seen)) {
    const { version } = seen
    seen = await client.watchHostedSession({ ...key, after: version }, { signal })
    if (seen.version !== version) onChange?.(seen)
  }
  if (seen.decision !== 'pass') throw new PersonNotVerified(seen)
  return client.collectHostedSession(key, { signal })
}

/** Whether the session is still undecided: a capture that did not pass can be followed by another one. */
function isUndecided({ decision, state, can_open }: WatchHostedSessionAnswer): boolean {
  return decision !== 'pass' && (state === 'open' || can_open)
}
