/** Calls of the service in the session of the person. */
import { type PublicKeyCredentialCreationOptionsJSON, startAuthentication } from '@simplewebauthn/browser'
import { ask } from './confirm.ts'

/** One call, with what has to be named to have it confirmed. */
export interface Call {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What the service answered, as far as these pages read it. */
interface Answer {
  // The options differ by the call; the service makes them for exactly this use.
  readonly options: PublicKeyCredentialCreationOptionsJSON &
    Parameters<typeof startAuthentication>[0]['optionsJSON']
  readonly words: readonly string[]
  readonly grant: string
}

/** The service said no, in words of its own. */
class Refused extends Error {
  readonly code: string
  readonly reason: string

  constructor({ code, reason, detail }: Readonly<Record<string, string>>) {
    super(detail ?? 'The service refused it.')
    this.code = code ?? ''
    this.reason = reason ?? ''
  }
}

const csrf_token = document.getElementById('people')?.dataset.csrf

export async function send(method: string, path: string, body?: unknown, grant?: string): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(csrf_token !== undefined && { 'deputy-csrf': csrf_token }),
      ...(grant !== undefined && { 'deputy-step-up': grant }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Refused(answer)
  return answer
}

/** Makes a call, and has it confirmed with a passkey if the service asks for that. Undefined: the person did not want to. */
export async function confirmed({
  operation,
  method,
  path,
  params,
  body,
}: Call): Promise<Answer | undefined> {
  try {
    return await send(method, path, body)
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'step_up_required' && error.reason === 'no_grant'))
      throw error
  }
  const { options, words } = await send('POST', '/v1/vat/auth/step-up/options', { operation, params, body })
  if (!(await ask(words, 'Confirm with your passkey'))) return undefined
  const response = await startAuthentication({ optionsJSON: options })
  const { grant } = await send('POST', '/v1/vat/auth/step-up/verify', { response })
  return send(method, path, body, grant)
}

export function inWords(error: unknown): string {
  if (error instanceof Refused) return error.message
  if (error instanceof Error && error.name === 'NotAllowedError')
    return 'The passkey was not used: it took too long, or was cancelled.'
  if (error instanceof Error && error.name === 'InvalidStateError')
    return 'This device has a passkey of yours already.'
  return 'It did not work. Is the service there, and does this browser know passkeys?'
}
