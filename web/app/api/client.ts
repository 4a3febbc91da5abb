/** Calls to the service that wait for a sign-in if they need one, and what is said of calls that fail. */
import { visibleText } from '@deputize/protocol/visible-text'
import { signal } from '@preact/signals'
import { DeputyError } from '../../../sdk/node/src/errors.ts'
import type { OperationId } from '../../../sdk/node/src/generated/operations.ts'
import { askInSession } from '../shell/session.ts'
import { type CallArguments, isSignedOut, type ServiceAnswer } from './ask-once.ts'

/** Set while a call waits for a sign-in. Resolving it repeats the call. */
export const waitingForSignIn = signal<(() => void) | undefined>(undefined)

/** Makes a call. If the session has ended, waits for a sign-in and makes the call again. */
export async function callService<Id extends OperationId>(
  id: Id,
  input: CallArguments<Id>,
  signalled?: AbortSignal,
): Promise<ServiceAnswer<Id>> {
  for (;;) {
    // Without a session every call would be refused, and refused calls are limited.
    if (waitingForSignIn.value !== undefined) await signedIn()
    try {
      return await askInSession(id, input, signalled)
    } catch (error) {
      if (!isSignedOut(error)) throw error
      await signedIn()
    }
  }
}

/** Shows the sign-in if a call failed for lack of one. Later calls wait for it. */
export function askForSignIn(error: unknown): void {
  if (isSignedOut(error)) void signedIn()
}

function signedIn(): Promise<void> {
  return new Promise((resolve) => {
    const earlier = waitingForSignIn.value
    waitingForSignIn.value = () => {
      earlier?.()
      resolve()
    }
  })
}

/** What went wrong, in words for the person at the screen. */
export function problemText(error: unknown): string {
  if (error instanceof DeputyError) {
    if (error.code === 'unreachable')
      return 'The service could not be reached. Check your connection, then try again.'
    // For 404, the message also names what is missing; otherwise the detail is enough.
    const { detail = error.message } = error.problem
    if (error.status === 429 && error.retry_after_s !== undefined)
      return `Too many requests. Try again in ${error.retry_after_s} s.`
    return visibleText(error.status === 404 ? error.message : detail)
  }
  return error instanceof Error ? error.message : 'Something went wrong.'
}

/** Whether repeating the call would fail too: what it names doesn't exist, or the caller may not make it. */
export function isLastingProblem(error: unknown): boolean {
  return error instanceof DeputyError && (error.status === 403 || error.status === 404)
}

/** What is wrong with each member of the body, if the service sent that. */
export function problemErrors(
  error: unknown,
): readonly { readonly pointer: string; readonly detail: string }[] | undefined {
  if (!(error instanceof DeputyError)) return undefined
  return error.problem.errors?.map(({ pointer, detail }) => ({ pointer, detail: visibleText(detail) }))
}

/** A page of this service, for a link. */
export interface LinkedPage {
  readonly href: string
  readonly words: string
}

/** The page of a person, which asks for their passkey. */
export const OWN_PAGE: LinkedPage = { href: '/me', words: 'Do it with your passkey on your page' }

/** Where a person gives the passkey that a call lacked. `page` is the one that makes the same call, if there is one. */
export function passkeyPage(error: unknown, page: LinkedPage | undefined): LinkedPage | undefined {
  if (!(error instanceof DeputyError && error.code === 'step_up_required')) return undefined
  return error.problem.reason === 'no_passkey' ? { href: '/me#passkeys', words: 'Add a passkey' } : page
}

/** The code of the error, if the service sent one. */
export function problemCode(error: unknown): string | undefined {
  return error instanceof DeputyError ? error.code : undefined
}
