/** Calls a provider's API and classifies its failures. */
import { readJson } from '@deputize/protocol'
import { type Outbound, OutboundError, type OutboundRequest } from '../../outbound/outbound.ts'
import { ProviderFailure } from './port.ts'

export interface ProviderAnswer {
  /** The bytes of the answer, for its hash. */
  readonly raw: Uint8Array
  /** The JSON object in it. Empty for an answer without a body. */
  readonly body: Readonly<Record<string, unknown>>
}

/** Room for answers that embed reports. */
const ANSWER_LIMITS = { depth: 24, members: 4096, items: 4096 }
const LONGEST_WAIT_S = 3600

/** Resolves to a 2xx answer. Everything else is a `ProviderFailure`. */
export async function callProvider(
  call: Outbound,
  url: string,
  request: OutboundRequest = {},
): Promise<ProviderAnswer> {
  const response = await call(url, {
    ...request,
    headers: { accept: 'application/json', ...request.headers },
  }).catch((cause: unknown) => Promise.reject(failureOf(cause)))
  if (!response.ok) throw refusalOf(response)
  const raw = new Uint8Array(await response.arrayBuffer())
  return { raw, body: raw.length === 0 ? {} : objectIn(raw) }
}

/** Also resolves if the provider has already deleted it. */
export async function ignoreUnknown(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion
  } catch (error) {
    if (!(error instanceof ProviderFailure && error.reason === 'unknown')) throw error
  }
}

const MISCONFIGURED: readonly string[] = ['address', 'port', 'not_public', 'redirect']

function failureOf(cause: unknown): ProviderFailure {
  const isRefused = cause instanceof OutboundError && MISCONFIGURED.includes(cause.reason)
  return new ProviderFailure(isRefused ? 'refused' : 'unavailable', { cause })
}

function refusalOf({ status, headers }: Response): ProviderFailure {
  if (status === 429) return new ProviderFailure('rate_limited', { retry_after_s: retryAfter(headers) })
  if (status === 404 || status === 410) return new ProviderFailure('unknown')
  return new ProviderFailure(status >= 500 || status === 408 ? 'unavailable' : 'refused')
}

function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? ''
  return /^\d{1,6}$/.test(text) ? Math.min(Number(text), LONGEST_WAIT_S) : undefined
}

function objectIn(raw: Uint8Array): ProviderAnswer['body'] {
  let value: unknown
  try {
    value = readJson(raw, ANSWER_LIMITS)
  } catch (cause) {
    throw new ProviderFailure('malformed', { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProviderFailure('malformed')
  return { ...value }
}
