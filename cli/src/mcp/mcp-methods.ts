import { foldedLetters } from './folded-name.ts'

/** The client requests that pass, in addition to `tools/call`, in the protocol revisions up to 2026-07-28. */
const PASSED_METHODS = [
  'initialize',
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'prompts/list',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/cancel',
  'server/discover',
  'subscriptions/listen',
]
export const CALL_METHOD = 'tools/call'
const NOTIFICATION = /^notifications\/[a-z_]+(\/[a-z_]+)*$/

/** Whether a message with this method may go to the server. The server might read any other spelling as a tool call. */
export function isPassedMethod(method: string, more: readonly string[]): boolean {
  return PASSED_METHODS.includes(method) || more.includes(method) || NOTIFICATION.test(method)
}

/** A known method that a lenient server could take `method` for. */
export function nearMethod(method: string): string | undefined {
  const folded = foldedLetters(method)
  return [CALL_METHOD, ...PASSED_METHODS].find((known) => known !== method && foldedLetters(known) === folded)
}
