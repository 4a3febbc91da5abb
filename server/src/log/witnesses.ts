/**
 * Asks witnesses to cosign checkpoints, as in C2SP tlog-witness. A witness remembers what it has seen, so a log that
 * shows different trees to different people would have to deceive every witness.
 */
import {
  ADD_CHECKPOINT_MAX_BYTES,
  addCheckpointBody,
  encodeBase64url,
  isPublishedTestKey,
  KEY_TYPES,
  KeyError,
  NoteError,
  type NoteKey,
  openCosignature,
  readEd25519Jwk,
  readNote,
  readTreeSize,
  readVkey,
  type SignedCheckpoint,
  type WitnessTrouble,
} from '@deputize/protocol'

const TIMEOUT_MS = 5_000
/** How far the clock of a witness may be ahead of this one. */
const MAX_AHEAD_S = 3_600
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

export interface WitnessEndpoint {
  readonly key: NoteKey
  /** The submission prefix, without a trailing slash. */
  readonly url: string
}

/**
 * Why a witness did not cosign: `unreachable`: no answer in time; `refused`: a status that a retry can't fix;
 * `bad_answer`: an answer that violates the protocol; `bad_cosignature`: not over this checkpoint, not by this key, or
 * at an impossible time; `forgot`: it claims to have seen less than it cosigned for this log; `ahead`: it has seen more
 * than this log holds, so the log lost entries or another party signs with its key; `contradicted`: it has seen a
 * different tree of this log.
 */
export type TroubleKind = WitnessTrouble

export interface Trouble {
  readonly kind: TroubleKind
  /** The name of the witness. */
  readonly witness: string
  readonly detail: string
}

export interface WitnessesOptions {
  readonly onTrouble: (trouble: Trouble) => void
  readonly timeout_ms?: number
  readonly now_ms?: () => number
}

/** The hashes that prove that the tree of size `to` extends the tree of size `from`. */
export type ConsistencyProof = (from: number, to: number) => Promise<Uint8Array[]>

export interface Witnesses {
  /**
   * The lines of all witnesses that cosign in time, in the order of the list. Never takes longer than the timeout, and
   * rejects only if `consistencyProof` does. A witness that failed is skipped for a while, as is one that is still busy
   * with an earlier call.
   */
  cosign(
    checkpoint: Pick<SignedCheckpoint, 'size' | 'note'>,
    consistencyProof: ConsistencyProof,
  ): Promise<string[]>
  /** What this process knows about each witness, in the order of the list. */
  conditions(): WitnessCondition[]
}

/** A witness, and how it last answered this process. */
export interface WitnessCondition extends WitnessEndpoint {
  /** Whether it has answered or failed yet. */
  readonly was_asked: boolean
  /** The current run of failures, if there is one. */
  readonly failing: Failing | undefined
}

interface Failing {
  readonly since_ms: number
  readonly kind: TroubleKind
  readonly detail: string
}

export function openWitnesses(list: readonly WitnessEndpoint[], options: WitnessesOptions): Witnesses {
  const clients = list.map((witness) => new WitnessClient(witness, options))
  return {
    async cosign(checkpoint, consistencyProof) {
      const lines = await Promise.all(clients.map((client) => client.cosign(checkpoint, consistencyProof)))
      return lines.filter((line) => line !== undefined)
    },
    conditions: () => clients.map((client) => client.condition),
  }
}

/** A witness failed. `WitnessClient` reports it and continues. */
class WitnessFailure extends Error {
  override readonly name = 'WitnessFailure'
  readonly kind: TroubleKind

  constructor(kind: TroubleKind, detail: string) {
    super(detail)
    this.kind = kind
  }
}

/** One witness, with the size it has seen and how long to leave it alone after a failure. */
class WitnessClient {
  readonly #endpoint: WitnessEndpoint
  readonly #options: WitnessesOptions
  readonly #now_ms: () => number
  #seen = 0
  #failures = 0
  #rests_until_ms = 0
  #isBusy = false
  #was_asked = false
  #failing: Failing | undefined

  constructor(endpoint: WitnessEndpoint, options: WitnessesOptions) {
    this.#endpoint = endpoint
    this.#options = options
    this.#now_ms = options.now_ms ?? Date.now
  }

  get condition(): WitnessCondition {
    return { ...this.#endpoint, was_asked: this.#was_asked, failing: this.#failing }
  }

  async cosign(...asked: Parameters<Witnesses['cosign']>): Promise<string | undefined> {
    if (this.#isBusy || this.#now_ms() < this.#rests_until_ms) return undefined
    this.#isBusy = true
    try {
      const line = await this.#cosignature(...asked)
      this.#was_asked = true
      this.#failures = 0
      this.#failing = undefined
      return line
    } catch (error) {
      if (!(error instanceof WitnessFailure)) throw error
      this.#fail(error)
      return undefined
    } finally {
      this.#isBusy = false
    }
  }

  #fail(failure: WitnessFailure): void {
    const now_ms = this.#now_ms()
    this.#was_asked = true
    this.#rests_until_ms = now_ms + Math.min(FIRST_PAUSE_MS * 2 ** this.#failures, LONGEST_PAUSE_MS)
    this.#failures += 1
    const since_ms = this.#failing?.since_ms ?? now_ms
    this.#failing = { since_ms, kind: failure.kind, detail: failure.message }
    this.#report(failure)
  }

  /** Submits with the size that the witness last cosigned, and once more if it reports another. */
  async #cosignature(...[checkpoint, prove]: Parameters<Witnesses['cosign']>): Promise<string> {
    const { key, url } = this.#endpoint
    const signal = AbortSignal.timeout(this.#options.timeout_ms ?? TIMEOUT_MS)
    const { size, note } = checkpoint
    const submit = async (old_size: number) =>
      post(url, addCheckpointBody({ old_size, proof: await prove(old_size, size), note }), signal)
    // The witness was ahead last time. Submitting from size 0 makes it report its size, or shows that it no longer is.
    let answer = await submit(this.#seen > size ? 0 : this.#seen)
    if (answer.status === 409) answer = await submit(this.#learn(answer.body, size))
    if (answer.status === 422)
      throw new WitnessFailure('contradicted', 'It has seen a different tree of this log.')
    if (answer.status !== 200) throw new WitnessFailure('refused', `It returned status ${answer.status}.`)
    const line = await verifiedLine(answer.body, note, key, this.#now_ms())
    this.#seen = size
    return line
  }

  #learn(body: string, size: number): number {
    const reported = readTreeSize(body)
    if (reported === undefined) throw new WitnessFailure('bad_answer', 'It returned 409 without a size.')
    const known = this.#seen
    this.#seen = reported
    if (reported > size)
      throw new WitnessFailure('ahead', `It has seen ${reported} entries, but this log has ${size}.`)
    if (reported < known)
      this.#report(new WitnessFailure('forgot', `It cosigned ${known} entries but reports only ${reported}.`))
    return reported
  }

  #report({ kind, message }: WitnessFailure): void {
    this.#options.onTrouble({ kind, witness: this.#endpoint.key.name, detail: message })
  }
}

interface WitnessResponse {
  readonly status: number
  readonly body: string
}

async function post(url: string, body: string, signal: AbortSignal): Promise<WitnessResponse> {
  try {
    const response = await fetch(`${url}/add-checkpoint`, {
      method: 'POST',
      body,
      signal,
      redirect: 'manual', // only the configured address may answer
      headers: { 'content-type': 'text/plain; charset=utf-8', 'accept-encoding': 'identity' },
    })
    return { status: response.status, body: await shortText(response) }
  } catch (error) {
    if (error instanceof WitnessFailure) throw error
    throw new WitnessFailure('unreachable', signal.aborted ? 'It did not answer in time.' : causeOf(error))
  }
}

/** Returns the body of a response, limited because a hostile witness could send any amount. */
async function shortText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > ADD_CHECKPOINT_MAX_BYTES) throw new WitnessFailure('bad_answer', 'Its response is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** fetch only says that it failed; the reason is in the cause. */
function causeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined }
  return `It can't be reached: ${cause instanceof Error ? cause.message : error}.`
}

async function verifiedLine(body: string, note: string, key: NoteKey, now_ms: number): Promise<string> {
  const { line, time_s } = await openCosignature(body, readNote(note).text, key).catch((error) => {
    if (!(error instanceof NoteError)) throw error
    const kind = error.fault === 'malformed_note' ? 'bad_answer' : 'bad_cosignature'
    throw new WitnessFailure(kind, error.message)
  })
  if (time_s === undefined || time_s > now_ms / 1000 + MAX_AHEAD_S)
    throw new WitnessFailure('bad_cosignature', 'Its cosignature is dated in the future.')
  return line
}

/** The configured witnesses and every problem in the text. */
export interface ReadWitnesses {
  readonly witnesses: readonly WitnessEndpoint[]
  readonly problems: readonly string[]
}

/** Reads entries of the form `<vkey> <url>`, separated by commas or newlines. */
export function readWitnesses(text: string): ReadWitnesses {
  const read: WitnessEndpoint[] = []
  const problems: string[] = []
  for (const entry of text.split(/[,\n]/).map((part) => part.trim())) {
    if (entry === '') continue
    const witness = readWitness(entry)
    if (typeof witness === 'string') problems.push(witness)
    else if (read.some(({ key }) => isSameKey(key, witness.key)))
      problems.push(
        `The witness ${witness.key.name} has the same key as another entry. Each key counts once.`,
      )
    else read.push(witness)
  }
  return { witnesses: read, problems }
}

/** Returns the witness, or the problem with the entry. */
function readWitness(entry: string): WitnessEndpoint | string {
  const [vkey = '', address, ...others] = entry.split(/\s+/)
  if (address === undefined || others.length > 0)
    return `The witness entry "${entry}" must be a verifier key, a space and an address.`
  const key = witnessKey(vkey)
  if (typeof key === 'string') return key
  const url = prefixOf(address)
  if (url === undefined)
    return `The address ${address} of the witness ${key.name} must be an http or https URL without user, query or fragment.`
  return { key, url }
}

function witnessKey(vkey: string): NoteKey | string {
  try {
    const key = readVkey(vkey)
    if (key.type !== KEY_TYPES.witness) return `${vkey} is a log key, not a witness key.`
    return isPublished(key) ? `${vkey} is a published test key, which anyone can sign with.` : key
  } catch (error) {
    if (error instanceof NoteError || error instanceof KeyError)
      return `The witness key ${vkey} can't be used: ${error.message}`
    throw error
  }
}

function isPublished({ public_key }: NoteKey): boolean {
  return isPublishedTestKey(readEd25519Jwk({ kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(public_key) }))
}

function isSameKey(one: NoteKey, other: NoteKey): boolean {
  return encodeBase64url(one.public_key) === encodeBase64url(other.public_key)
}

function prefixOf(address: string): string | undefined {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || /[?#]/.test(address)) return undefined
  return url.href.replace(/\/+$/, '')
}
