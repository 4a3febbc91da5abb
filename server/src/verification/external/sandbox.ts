/**
 * The sandbox: a provider that this service simulates, for trials and tests. It is called over HTTP and signs its
 * callbacks like a real one, but it verifies no one: the person chooses the result on a page.
 */
import { createHmac } from 'node:crypto'
import { readJson } from '@deputize/protocol'
import type { EntryReader } from './entry-reader.ts'
import { type ExternalParts, type ExternalProvider, type OpenExternal, ProviderFailure } from './port.ts'
import { callProvider, ignoreUnknown } from './provider-call.ts'
import { isInWindow, isSigned, onlyHeader, readTimedSignature } from './signature.ts'
import { type ExternalStatus, externalDecision, externalStatus } from './verdict.ts'

/** The path of the sandbox's API and pages, followed by the provider's name. */
export const SANDBOX_PATH = '/sandbox-identity'
export const SANDBOX_SIGNATURE = 'sandbox-signature'

export const SANDBOX_STATUSES = {
  waiting: 'pending',
  passed: 'pass',
  failed: 'fail',
  in_review: 'review',
  expired: 'expired',
  taken_back: 'withdrawn',
} as const satisfies Record<string, ExternalStatus>

export type SandboxStatus = keyof typeof SANDBOX_STATUSES

/** Derives the sandbox's secrets from the deployment's: one for its API, one that signs its callbacks. */
export function sandboxSecrets({ name, derivedSecret }: Pick<ExternalParts, 'name' | 'derivedSecret'>) {
  return { api: derivedSecret(`sandbox api ${name}`), callbacks: derivedSecret(`sandbox callbacks ${name}`) }
}

/** Returns the header with which the sandbox signs a callback. */
export function sandboxSignature(secret: string, body: string, now_ms: number): string {
  const time_s = Math.floor(now_ms / 1000)
  return `t=${time_s},v1=${createHmac('sha256', secret).update(`${time_s}.${body}`).digest('hex')}`
}

/** Reads nothing: a sandbox has no settings. */
export function readSandbox(_entry: EntryReader): OpenExternal {
  return sandboxProvider
}

function sandboxProvider(parts: ExternalParts): ExternalProvider {
  const { call, clock, name, public_url } = parts
  const secrets = sandboxSecrets(parts)
  const authorization = { authorization: `Bearer ${secrets.api}` }
  const urlOf = (path: string) => `${public_url()}${SANDBOX_PATH}/${name}/sessions${path}`

  return {
    async createSession({ session_id, attempt, return_url, callback_url }) {
      const { body } = await callProvider(call, urlOf(''), {
        method: 'POST',
        headers: { ...authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ session_id, attempt, return_url, callback_url }),
      })
      const { id, url } = body
      if (typeof id !== 'string' || typeof url !== 'string') throw new ProviderFailure('malformed')
      return { external_id: id, redirect_url: url }
    },
    readCallback(body, headers) {
      const signed = readTimedSignature(onlyHeader(headers, SANDBOX_SIGNATURE) ?? '')
      if (signed === undefined || !isInWindow(signed.time_s, clock())) return undefined
      const parts = [`${signed.time_s}.`, body]
      const isGenuine = isSigned([secrets.callbacks], parts, signed.signatures, 'hex')
      return isGenuine ? eventIn(body) : undefined
    },
    async fetchDecision(external_id) {
      const { raw, body } = await callProvider(call, urlOf(`/${external_id}`), { headers: authorization })
      const status = externalStatus(body.status, SANDBOX_STATUSES)
      return externalDecision(raw, status, status === 'pass' ? { document: true, liveness: true } : {})
    },
    redact: (external_id) =>
      ignoreUnknown(
        callProvider(call, urlOf(`/${external_id}`), { method: 'DELETE', headers: authorization }),
      ),
  }
}

function eventIn(body: Uint8Array) {
  try {
    const { event_id, id } = Object(readJson(body))
    return typeof event_id === 'string' && typeof id === 'string' ? { event_id, external_id: id } : undefined
  } catch {
    return undefined
  }
}
