/**
 * Asks witnesses to cosign checkpoints, by C2SP tlog-witness. A witness remembers what it saw, so that a log which shows
 * different people different trees would have to deceive all of them.
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
} from '@deputize/protocol'

const TIMEOUT_MS = 5_000
/** How far the clock of a witness may be ahead of ours. */
const MAX_AHEAD_S = 3_600
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

export interface Witness {
  readonly key: NoteKey
  /** The submission prefix, without a slash at its end. */
  readonly url: string
}

/**
 * What may be wrong with a witness, or with us:
 * `unreachable`: no answer in time; `refused`: a status that we cannot do anything about; `bad_answer`: not what the
 * protocol wants; `bad_cosignature`: not over this checkpoint, not of this key, or at no possible time; `forgot`: it
 * says to have seen less than it cosigned for us; `ahead`: it has seen more than we have: our log lost entries, or
 * somebody else signs in our name; `contradicted`: it has seen another tree of ours.
 */
export type TroubleKind =
  | 'unreachable'
  | 'refused'
  | 'bad_answer'
  | 'bad_cosignature'
  | 'forgot'
  | 'ahead'
  | 'contradicted'

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

/** The hashes which prove that the tree of `to` begins with the tree of `from`. */
export type ConsistencyProof = (from: number, to: number) => Promise<Uint8Array[]>

export interface Witnesses {
  /**
   * The cosignature lines of all witnesses that answer well and in time, in the order of the list. Never takes longer
   * than the time-out, and rejects only when `consistencyProof` does. A witness that failed is left alone for a while,
   * and one that is still busy with an earlier call is not asked.
   */
  cosign(
    checkpoint: Pick<SignedCheckpoint, 'size' | 'note'>,
    consistencyProof: ConsistencyProof,
  ): Promise<string[]>
}

export function openWitnesses(list: readonly Witness[], options: WitnessesOptions): Witnesses {
  const acquaintances = list.map((witness) => acquaintance(witness, options))
  return {
    async cosign(checkpoint, consistencyProof) {
      const lines = await Promise.all(acquaintances.map((ask) => ask(checkpoint, consistencyProof)))
      return lines.filter((line) => line !== undefined)
    },
  }
}

type Ask = (...asked: Parameters<Witnesses['cosign']>) => Promise<string | undefined>

/** A witness fails: the caller of `ask` reports it and goes on. */
class WitnessFailure extends Error {
  override readonly name = 'WitnessFailure'
  readonly kind: TroubleKind

  constructor(kind: TroubleKind, detail: string) {
    super(detail)
    this.kind = kind
  }
}

/** One witness, with what is remembered of it from call to call. */
function acquaintance(
  { key, url }: Witness,
  { onTrouble, timeout_ms = TIMEOUT_MS, now_ms = Date.now }: WitnessesOptions,
): Ask {
  let seen = 0
  let failures = 0
  let rests_until_ms = 0
  let isBusy = false

  /** Asks with the size that the witness is thought to have seen, and once more when it names another. */
  async function cosignature(...[checkpoint, prove]: Parameters<Ask>): Promise<string> {
    const signal = AbortSignal.timeout(timeout_ms)
    const { size, note } = checkpoint
    const submit = async (old_size: number) =>
      post(url, addCheckpointBody({ old_size, proof: await prove(old_size, size), note }), signal)
    // It has seen more than we have: asking from nothing makes it say so, or shows that it is over.
    let answer = await submit(seen > size ? 0 : seen)
    if (answer.status === 409) answer = await submit(learn(answer.body, size))
    if (answer.status === 422)
      throw new WitnessFailure('contradicted', 'It has seen another tree of this log.')
    if (answer.status !== 200) throw new WitnessFailure('refused', `It answered with ${answer.status}.`)
    const line = await verifiedLine(answer.body, note, key, now_ms())
    seen = size
    return line
  }

  function learn(body: string, size: number): number {
    const told = readTreeSize(body)
    if (told === undefined) throw new WitnessFailure('bad_answer', 'It answered 409 without a size.')
    const known = seen
    seen = told
    if (told > size) throw new WitnessFailure('ahead', `It has seen ${told} entries, this log has ${size}.`)
    if (told < known)
      report(new WitnessFailure('forgot', `It cosigned ${known} entries and knows of ${told}.`))
    return told
  }

  function report({ kind, message }: WitnessFailure): void {
    onTrouble({ kind, witness: key.name, detail: message })
  }

  return async (checkpoint, prove) => {
    if (isBusy || now_ms() < rests_until_ms) return undefined
    isBusy = true
    try {
      const line = await cosignature(checkpoint, prove)
      failures = 0
      return line
    } catch (error) {
      if (!(error instanceof WitnessFailure)) throw error
      rests_until_ms = now_ms() + Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
      failures += 1
      report(error)
      return undefined
    } finally {
      isBusy = false
    }
  }
}

interface Answer {
  readonly status: number
  readonly body: string
}

async function post(url: string, body: string, signal: AbortSignal): Promise<Answer> {
  try {
    const response = await fetch(`${url}/add-checkpoint`, {
      method: 'POST',
      body,
      signal,
      redirect: 'manual', // a witness is who was configured, not who it names
      headers: { 'content-type': 'text/plain; charset=utf-8', 'accept-encoding': 'identity' },
    })
    return { status: response.status, body: await shortText(response) }
  } catch (error) {
    if (error instanceof WitnessFailure) throw error
    throw new WitnessFailure('unreachable', signal.aborted ? 'It did not answer in time.' : causeOf(error))
  }
}

/** The body of an answer, of which a hostile witness could send any amount. */
async function shortText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > ADD_CHECKPOINT_MAX_BYTES) throw new WitnessFailure('bad_answer', 'Its answer does not end.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** fetch says only that it failed; why stands in the cause. */
function causeOf(error: unknown): string {
  const { cause } = error instanceof Error ? error : { cause: undefined }
  return `It cannot be reached: ${cause instanceof Error ? cause.message : error}.`
}

async function verifiedLine(body: string, note: string, key: NoteKey, now_ms: number): Promise<string> {
  const { line, time_s } = await openCosignature(body, readNote(note).text, key).catch((error) => {
    if (!(error instanceof NoteError)) throw error
    const kind = error.fault === 'malformed_note' ? 'bad_answer' : 'bad_cosignature'
    throw new WitnessFailure(kind, error.message)
  })
  if (time_s === undefined || time_s > now_ms / 1000 + MAX_AHEAD_S)
    throw new WitnessFailure('bad_cosignature', 'It cosigned at a time that is yet to come.')
  return line
}

/** Witnesses as they are configured, and everything that is wrong with the text. */
export interface ReadWitnesses {
  readonly witnesses: readonly Witness[]
  readonly problems: readonly string[]
}

/** Reads entries of the form `<vkey> <url>`, with commas or newlines between them. */
export function readWitnesses(text: string): ReadWitnesses {
  const read: Witness[] = []
  const problems: string[] = []
  for (const entry of text.split(/[,\n]/).map((part) => part.trim())) {
    if (entry === '') continue
    const witness = readWitness(entry)
    if (typeof witness === 'string') problems.push(witness)
    else if (read.some(({ key }) => isSameKey(key, witness.key)))
      problems.push(`The witness ${witness.key.name} has the key of another entry. One key counts once.`)
    else read.push(witness)
  }
  return { witnesses: read, problems }
}

/** The witness, or what is wrong with the entry. */
function readWitness(entry: string): Witness | string {
  const [vkey = '', address, ...others] = entry.split(/\s+/)
  if (address === undefined || others.length > 0)
    return `The witness entry "${entry}" must be a verifier key, a blank and an address.`
  const key = witnessKey(vkey)
  if (typeof key === 'string') return key
  const url = prefixOf(address)
  if (url === undefined)
    return `The address ${address} of the witness ${key.name} must be an http or https address without user, query and fragment.`
  return { key, url }
}

function witnessKey(vkey: string): NoteKey | string {
  try {
    const key = readVkey(vkey)
    if (key.type !== KEY_TYPES.witness) return `${vkey} is the key of a log, not of a witness.`
    return isPublished(key) ? `${vkey} is a published test key, which everybody can sign with.` : key
  } catch (error) {
    if (error instanceof NoteError || error instanceof KeyError)
      return `The witness key ${vkey} cannot be used: ${error.message}`
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
