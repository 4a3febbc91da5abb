/** Who is using the dashboard, and what they may do. */
import { signal } from '@preact/signals'
import { DeputyError } from '../../../sdk/node/src/errors.ts'
import type { GetMeAnswer, OperationId } from '../../../sdk/node/src/generated/operations.ts'
import {
  askOnce,
  type CallArguments,
  isSignedOut,
  type ServiceAnswer,
  setCsrfToken,
} from '../api/ask-once.ts'

/** Undefined if nobody is signed in, or if the service couldn't be reached. */
export const me = signal<GetMeAnswer | undefined>(undefined)

/** Reads the session of this browser. If it is another caller's now, loads the page again, and never resolves. */
export async function readSession(): Promise<void> {
  const now = await askOnce('getMe', {})
  if (me.value !== undefined && callerIn(me.value) !== callerIn(now)) return startOver()
  me.value = now
  setCsrfToken(now.csrf_token)
}

function callerIn({ role, tenant_id, name, key_id, human_ref }: GetMeAnswer): string {
  return JSON.stringify([role, tenant_id, name, key_id, human_ref])
}

/** What is on the screen, and what is about to be sent, belongs to the caller before. */
function startOver(): Promise<never> {
  location.reload()
  return new Promise(() => {})
}

/** Another tab may have signed in meanwhile, as somebody else too. */
export function watchSession(onProblem: (error: unknown) => void): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && me.value?.session_id !== undefined)
      void readSession().catch(onProblem)
  })
}

/**
 * Makes a call. If a sign-in in another tab has replaced the session, makes it again in the new one. A role that may not
 * make it can be that of another caller.
 */
export async function askInSession<Id extends OperationId>(
  id: Id,
  input: CallArguments<Id>,
  signalled?: AbortSignal,
): Promise<ServiceAnswer<Id>> {
  try {
    return await askOnce(id, input, signalled)
  } catch (error) {
    const code = error instanceof DeputyError ? error.code : undefined
    if (code !== 'cross_site_request' && code !== 'role_not_allowed') throw error
    await readSession()
    if (code === 'role_not_allowed') throw error
  }
  return askOnce(id, input, signalled)
}

/** Exchanges an API key for a session of this browser, with the same role. */
export async function signInWith(key: string): Promise<void> {
  await acceptSession(await askInSession('signInWithKey', { key }))
}

/** Called after a sign-in has set the cookie of a new session. */
export async function acceptSession({ csrf_token }: { readonly csrf_token: string }): Promise<void> {
  setCsrfToken(csrf_token)
  await readSession()
}

export async function signOut(): Promise<void> {
  try {
    await askInSession('logOut', {})
  } catch (error) {
    if (!isSignedOut(error)) throw error
  }
  location.reload()
}

/** Whether the caller may make this call. The service checks this regardless. */
export function can(operation: OperationId): boolean {
  return me.value === undefined || me.value.operations.includes(operation)
}
