import { AuthorityError } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { LOCAL_HOSTS } from '../../loopback.ts'
import type { OpenedExternal } from '../../verification/external/external-providers.ts'
import { callbackPath } from '../../verification/external/external-providers.ts'
import {
  type ExternalSession,
  type NewExternalSession,
  ProviderFailure,
} from '../../verification/external/port.ts'
import { externalDecision } from '../../verification/external/verdict.ts'
import type { OperationContext } from '../operation-context.ts'
import { addCheck, type KnownCheck } from './check-entries.ts'
import { addMark } from './due-marks.ts'
import { providerRefusal } from './provider-refusal.ts'
import { abandonCheck } from './redactions.ts'
import { returnedPath } from './returned-path.ts'

/** A check at a provider, as stored in its session. */
export interface SessionCheck {
  readonly check_id: string
  readonly provider: string
  readonly kind: string
  readonly level: OpenedExternal['level']
  readonly redirect_url?: string | undefined
  readonly client_token?: string | undefined
}

interface CheckedSession {
  readonly session_id: string
  readonly tenant_id: string
  readonly human_ref: string
  readonly locale: string
}

const FIRST_LOOK_MS = 5_000
const EXTERNAL_ID = /^[A-Za-z0-9._~:-]{1,200}$/

/**
 * Creates a check at the provider. `attempt` counts the openings of the session. Repeating an attempt, after a crash or
 * a lost answer, returns the same check if the provider supports that.
 */
export async function openCheck(
  opened: OpenedExternal,
  session: CheckedSession,
  attempt: number,
  context: OperationContext,
): Promise<SessionCheck> {
  const { name, kind, level } = opened
  const { external_id, redirect_url, client_token, memory } = await created(
    opened,
    { ...session, attempt, ...addressesOf(name, session, context) },
    context,
  )
  const document = {
    ...externalDecision(new Uint8Array(), 'pending'),
    provider: name,
    external_id,
    session_id: session.session_id,
    opening: attempt,
    level,
    begun_at: isoInstant(context.clock()),
    memory,
  }
  // A crash before this line leaves an unused check at the provider, because the session was not opened. If the
  // provider returns the check of another session, it isn't trusted: its pass is another person's.
  const check = await addCheck(session, document, context)
  const { id, document: kept } = check
  if (kept.session_id !== session.session_id || kept.opening !== attempt)
    throw providerRefusal(name, new ProviderFailure('malformed'))
  await assertStillWanted(check, context)
  await addMark(id, context.clock() + FIRST_LOOK_MS, context)
  return { check_id: id, provider: name, kind, level, redirect_url, client_token }
}

/** Throws if the person was erased meanwhile. An erasure ends the session before it looks for checks. */
async function assertStillWanted(check: KnownCheck, context: OperationContext): Promise<void> {
  if ((await context.ephemeral.get('hosted_session', check.document.session_id)) !== undefined) return
  await abandonCheck(check, context)
  throw new AuthorityError('session_unknown')
}

function addressesOf(name: string, { session_id }: CheckedSession, { public_url }: OperationContext) {
  return {
    return_url: `${public_url()}${returnedPath(session_id)}`,
    callback_url: `${public_url()}${callbackPath(name)}`,
  }
}

async function created(
  { name, provider }: OpenedExternal,
  { session_id, attempt, human_ref, return_url, callback_url, locale }: NewExternalSession,
  { public_url }: OperationContext,
): Promise<ExternalSession> {
  try {
    const session = await provider.createSession({
      session_id,
      attempt,
      human_ref,
      return_url,
      callback_url,
      locale,
    })
    assertSafe(session, public_url())
    return session
  } catch (error) {
    throw providerRefusal(name, error)
  }
}

/** Rejects an unsafe session. People are sent to its address, so it is checked whatever the adapter has checked. */
function assertSafe({ external_id, redirect_url, client_token }: ExternalSession, public_url: string): void {
  const isPlaced = redirect_url === undefined ? client_token !== undefined : isPage(redirect_url, public_url)
  if (!EXTERNAL_ID.test(external_id) || !isPlaced) throw new ProviderFailure('malformed')
}

/** Whether an address is https, or on this machine while the service itself uses plain http, as in development. */
function isPage(text: string, public_url: string): boolean {
  const url = /^[\x21-\x7e]{1,4096}$/.test(text) ? URL.parse(text) : null
  if (url === null || url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname) && public_url.startsWith('http:')
}
