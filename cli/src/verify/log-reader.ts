import { setTimeout as sleep } from 'node:timers/promises'
import { DEFAULT_TENANT } from '@deputize/protocol'
import type { ReadFile } from '@deputize/protocol/verifier'
import { Unchecked } from './unchecked.ts'

const READ_TIMEOUT_MS = 30_000
/** The pauses before the second and the third attempt. */
const PAUSES_MS = [250, 1_000]
const LONGEST_PAUSE_S = 60
const MAX_REDIRECTS = 3
/** Larger than a full bundle of entries of maximum size. */
const MAX_FILE_BYTES = 17 * 1024 * 1024
const BUSY_STATUSES = new Set([429, 502, 503, 504])
const ABSENT_STATUSES = new Set([404, 410])

export interface HttpLogReader {
  readonly read: ReadFile
  /** Aborts reads that are under way. */
  close(): void
}

/**
 * Reads the files of the log at an address, with an API key if one is given. Throws Unchecked if a file cannot be read.
 */
export function httpLogReader(
  address: URL,
  api_key: string | undefined,
  tenant_id = DEFAULT_TENANT,
): HttpLogReader {
  const closing = new AbortController()
  const headers: AuthHeaders = api_key === undefined ? {} : { authorization: `Bearer ${api_key}` }
  const urlOf = (path: string) => new URL(path, `${address.href.replace(/\/$/, '')}/`)
  return {
    read: (path) => readWithRetries({ url: urlOf(path), headers, tenant_id }, closing.signal),
    close: () => closing.abort(),
  }
}

type AuthHeaders = Readonly<Record<string, string>>

interface FileRequest {
  readonly url: URL
  readonly headers: AuthHeaders
  /** The tenant of the API key. */
  readonly tenant_id: string
}

/** Worth a retry, after the pause that the service asks for. */
class Busy extends Unchecked {
  readonly pause_ms: number

  constructor(sentence: string, pause_ms = 0) {
    super(sentence)
    this.pause_ms = pause_ms
  }
}

async function readWithRetries(wanted: FileRequest, closing: AbortSignal): Promise<Uint8Array | undefined> {
  for (const pause_ms of PAUSES_MS) {
    const outcome = await readOnce(wanted, closing)
    if (!(outcome instanceof Busy)) return outcome
    await sleep(Math.max(pause_ms, outcome.pause_ms), undefined, { signal: closing })
  }
  const last = await readOnce(wanted, closing)
  if (last instanceof Busy) throw last
  return last
}

/** The bytes, undefined if the file does not exist, or an error worth a retry. Throws errors that a retry cannot fix. */
async function readOnce(
  { url, headers, tenant_id }: FileRequest,
  closing: AbortSignal,
): Promise<Uint8Array | undefined | Busy> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(READ_TIMEOUT_MS)])
  try {
    const answer = await follow(url, headers, signal)
    if (answer.status === 401 || answer.status === 403)
      throw new Unchecked(credentialSentence(url, headers, tenant_id))
    if (ABSENT_STATUSES.has(answer.status)) return undefined
    if (BUSY_STATUSES.has(answer.status))
      return new Busy(`${url.host} is busy (HTTP ${answer.status}). Try again later.`, pauseOf(answer))
    if (answer.status !== 200) throw new Unchecked(`${url.href} returned HTTP ${answer.status}.`)
    return await limitedBytes(answer, url)
  } catch (error) {
    if (error instanceof Unchecked || closing.aborted) throw error
    return new Busy(fetchProblem(error, url))
  }
}

async function follow(start: URL, headers: AuthHeaders, signal: AbortSignal): Promise<Response> {
  let url = start
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const answer = await fetch(url, { redirect: 'manual', signal, headers })
    const location = answer.headers.get('location')
    if (answer.status < 300 || answer.status > 399 || location === null) return answer
    await answer.body?.cancel()
    const next = new URL(location, url)
    if (next.host !== start.host)
      throw new Unchecked(`${start.host} redirects to ${next.host}. Use that URL if you trust it.`)
    url = next
  }
  throw new Unchecked(`${start.href} redirects too often.`)
}

/** A service that limits the rate of calls sends the time until the next minute. */
function pauseOf({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? 0)
  return seconds > 0 && seconds <= LONGEST_PAUSE_S ? seconds * 1000 : 0
}

function credentialSentence({ host }: URL, headers: AuthHeaders, tenant_id: string): string {
  if (tenant_id !== DEFAULT_TENANT)
    return `${host} rejected the API key of the tenant ${tenant_id}. Scores need the key of an operator, developer or auditor.`
  return headers.authorization === undefined
    ? `${host} requires a credential to read its log. Pass the API key of an auditor of the tenant default with --api-key-file.`
    : `${host} rejected the API key. Reading the log needs the key of an operator or auditor of the tenant default.`
}

async function limitedBytes(answer: Response, url: URL): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_FILE_BYTES) throw new Unchecked(`${url.href} is larger than any log file.`)
  }
  return Buffer.concat(chunks)
}

/** Explains an error of fetch. */
function fetchProblem(error: unknown, url: URL): string {
  const code = causeCode(error)
  if (code === 'ECONNREFUSED') return `${url.host} refused the connection. Is the service running?`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The host ${url.hostname} was not found.`
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `${url.host} did not answer within ${READ_TIMEOUT_MS / 1000} seconds.`
  return `${url.host} cannot be read${code === undefined ? '' : ` (${code})`}.`
}

function causeCode(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
