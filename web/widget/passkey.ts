/** Passkeys with options and answers as JSON (WebAuthn Level 3), also for browsers that can't convert them. */

import type { PasskeyProblem } from './screens.ts'

/** Options for the browser. Their type depends on the ceremony. */
export type PasskeyCeremony =
  | { readonly ceremony: 'create'; readonly options: PublicKeyCredentialCreationOptionsJSON }
  | { readonly ceremony: 'get'; readonly options: PublicKeyCredentialRequestOptionsJSON }

/** Lets the device sign, and returns the member of the call that finishes the session. */
export async function confirmedByPasskey(challenge: PasskeyCeremony): Promise<object> {
  return challenge.ceremony === 'create'
    ? { passkey_registration: await created(challenge.options) }
    : { passkey: await asserted(challenge.options) }
}

async function created(options: PublicKeyCredentialCreationOptionsJSON): Promise<object> {
  const { challenge, user, excludeCredentials = [], extensions: _, ...others } = options
  const publicKey = {
    ...others,
    challenge: bytesOf(challenge),
    user: { ...user, id: bytesOf(user.id) },
    excludeCredentials: excludeCredentials.map(descriptorOf),
  } as PublicKeyCredentialCreationOptions // the texts in it are those of the specification
  const credential = credentialOf(await navigator.credentials.create({ publicKey }))
  const response = credential.response as AuthenticatorAttestationResponse // the answer to `create`
  return {
    ...credentialJson(credential),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  }
}

async function asserted(options: PublicKeyCredentialRequestOptionsJSON): Promise<object> {
  const { challenge, allowCredentials = [], extensions: _, ...others } = options
  const publicKey = {
    ...others,
    challenge: bytesOf(challenge),
    allowCredentials: allowCredentials.map(descriptorOf),
  } as PublicKeyCredentialRequestOptions // the texts in it are those of the specification
  const credential = credentialOf(await navigator.credentials.get({ publicKey }))
  const response = credential.response as AuthenticatorAssertionResponse // the answer to `get`
  return {
    ...credentialJson(credential),
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      authenticatorData: textOf(response.authenticatorData),
      signature: textOf(response.signature),
      ...(response.userHandle !== null && { userHandle: textOf(response.userHandle) }),
    },
  }
}

function credentialOf(credential: Credential | null): PublicKeyCredential {
  if (credential instanceof PublicKeyCredential) return credential
  throw new DOMException('no passkey was given', 'NotAllowedError')
}

function credentialJson(credential: PublicKeyCredential): object {
  const { id, rawId, type, authenticatorAttachment } = credential
  return {
    id,
    rawId: textOf(rawId),
    type,
    ...(authenticatorAttachment !== null && { authenticatorAttachment }),
    clientExtensionResults: credential.getClientExtensionResults(),
  }
}

function descriptorOf({ id, ...others }: PublicKeyCredentialDescriptorJSON) {
  return { ...others, id: bytesOf(id) }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}

function textOf(bytes: ArrayBuffer): string {
  const base64 = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

export function passkeyProblem(error: unknown): PasskeyProblem {
  const name = error instanceof Error ? error.name : ''
  if (name === 'InvalidStateError') return 'exists'
  return name === 'NotAllowedError' || name === 'AbortError' ? 'not_used' : 'unsupported'
}
