/** Passkeys of this browser. Loaded on first use. */
import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import type {
  FinishKeyPasskeyInput,
  KeyPasskey,
  SignInWithPasskeyInput,
} from '../../../sdk/node/src/generated/operations.ts'
import { callService } from '../api/client.ts'
import { acceptSession, askInSession } from './session.ts'

/** Adds a passkey to the key of this session. */
export async function createOwnPasskey(name: string): Promise<KeyPasskey> {
  const { options } = await callService('beginKeyPasskey', {})
  // The options are WebAuthn's own JSON, which the service passes on as an object.
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  const response = await said(() => startRegistration({ optionsJSON }))
  // WebAuthn Level 3 defines both shapes; the service checks each member.
  const answer = plain(response) as FinishKeyPasskeyInput['response']
  return callService('finishKeyPasskey', { response: answer, ...(name !== '' && { name }) })
}

/** Opens a session of the key that the chosen passkey belongs to. */
export async function enterWithPasskey(): Promise<void> {
  const { options } = await askInSession('beginPasskeyLogin', {})
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON // as above
  const response = await said(() => startAuthentication({ optionsJSON }))
  const answer = plain(response) as SignInWithPasskeyInput['response'] // as above
  await acceptSession(await askInSession('signInWithPasskey', { response: answer }))
}

/** Drops members that are undefined. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Replaces the errors of browsers, which say little and nothing that helps a person. */
async function said<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof Error && error.name === 'InvalidStateError')
      throw new Error('This device already has a passkey for this key.')
    throw new Error('The passkey was not used: the prompt was closed or timed out. Try again.')
  }
}
