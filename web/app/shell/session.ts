/** Who is using the dashboard, and what they may do. */
import { signal } from '@preact/signals'
import type { GetMeAnswer, OperationId } from '../../../sdk/node/src/generated/operations.ts'
import { askOnce, setCsrfToken } from '../api/client.ts'

/** Undefined if nobody is signed in, or if the service couldn't be reached. */
export const me = signal<GetMeAnswer | undefined>(undefined)

export async function readSession(): Promise<void> {
  me.value = await askOnce('getMe', {})
  setCsrfToken(me.value.csrf_token)
}

/** Exchanges an API key for a session of this browser, with the same role. */
export async function signInWith(key: string): Promise<void> {
  await acceptSession(await askOnce('signInWithKey', { key }))
}

/** Called after a sign-in has set the cookie of a new session. */
export async function acceptSession({ csrf_token }: { readonly csrf_token: string }): Promise<void> {
  setCsrfToken(csrf_token)
  await readSession()
}

export async function signOut(): Promise<void> {
  await askOnce('logOut', {})
  location.reload()
}

/** Whether the caller may make this call. The service checks this regardless. */
export function can(operation: OperationId): boolean {
  return me.value === undefined || me.value.operations.includes(operation)
}
