import { setTimeout as sleep } from 'node:timers/promises'
import type { ReadFile } from '@deputize/protocol/verifier'
import { Unchecked } from './unchecked.ts'

const TIMEOUT_MS = 30_000
/** Before the second and the third attempt. */
const PAUSES_MS = [250, 1_000]
const MAX_REDIRECTS = 3
/** Longer than a full bundle of the longest entries. */
const MAX_FILE_BYTES = 17 * 1024 * 1024
const BUSY = new Set([429, 502, 503, 504])
const ABSENT = new Set([404, 410])

export interface LogReader {
  readonly read: ReadFile
  /** Ends what is still under way. */
  close(): void
}

/**
 * Reads the files of the log at an address, over connections that are kept, with an API key where the service asks for
 * one. Throws Unchecked when it cannot.
 */
export function logReader(address: URL, api_key: string | undefined): LogReader {
  const closing = new AbortController()
  const headers: Headers = api_key === undefined ? {} : { authorization: `Bearer ${api_key}` }
  return {
    read: (path) =>
      readPatiently({ url: new URL(path, `${address.href.replace(/\/$/, '')}/`), headers }, closing.signal),
    close: () => closing.abort(),
  }
}

type Headers = Readonly<Record<string, string>>

interface Wanted {
  readonly url: URL
  readonly headers: Headers
}

async function readPatiently(wanted: Wanted, closing: AbortSignal): Promise<Uint8Array | undefined> {
  for (const pause_ms of PAUSES_MS) {
    const outcome = await readOnce(wanted, closing)
    if (!(outcome instanceof Unchecked)) return outcome
    await sleep(pause_ms, undefined, { signal: closing })
  }
  const last = await readOnce(wanted, closing)
  if (last instanceof Unchecked) throw last
  return last
}

/** The bytes, undefined when there are none, or what may be better at the next attempt. Throws what will not be. */
async function readOnce(
  { url, headers }: Wanted,
  closing: AbortSignal,
): Promise<Uint8Array | undefined | Unchecked> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)])
  try {
    const answer = await follow(url, headers, signal)
    if (answer.status === 401 || answer.status === 403) throw new Unchecked(credentialSentence(url, headers))
    if (ABSENT.has(answer.status)) return undefined
    if (BUSY.has(answer.status)) return new Unchecked(`${url.host} is too busy (HTTP ${answer.status}).`)
    if (answer.status !== 200) throw new Unchecked(`${url.href} answers with HTTP ${answer.status}.`)
    return await bytesOf(answer, url)
  } catch (error) {
    if (error instanceof Unchecked || closing.aborted) throw error
    return new Unchecked(sentenceOf(error, url))
  }
}

async function follow(start: URL, headers: Headers, signal: AbortSignal): Promise<Response> {
  let url = start
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const answer = await fetch(url, { redirect: 'manual', signal, headers })
    const location = answer.headers.get('location')
    if (answer.status < 300 || answer.status > 399 || location === null) return answer
    await answer.body?.cancel()
    const next = new URL(location, url)
    if (next.host !== start.host)
      throw new Unchecked(`${start.host} sends us on to ${next.host}. Give that address if you mean it.`)
    url = next
  }
  throw new Unchecked(`${start.href} leads from one redirect to the next.`)
}

function credentialSentence({ host }: URL, headers: Headers): string {
  return headers.authorization === undefined
    ? `${host} shows the entries of its log only to those who look after it. Give the API key of an auditor of the tenant default with --api-key-file.`
    : `${host} does not accept the API key for its log: it takes one of an operator or auditor of the tenant default.`
}

async function bytesOf(answer: Response, url: URL): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_FILE_BYTES) throw new Unchecked(`${url.href} is longer than any file of a log.`)
  }
  return Buffer.concat(chunks)
}

/** What fetch says, in words that tell people what to do. */
function sentenceOf(error: unknown, url: URL): string {
  const code = codeOf(error)
  if (code === 'ECONNREFUSED') return `Nobody answers at ${url.host}. Is the service running?`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no host ${url.hostname}.`
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `${url.host} did not answer within ${TIMEOUT_MS / 1000} seconds.`
  return `${url.host} cannot be read${code === undefined ? '' : ` (${code})`}.`
}

function codeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
}
