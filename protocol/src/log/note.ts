/** Signed notes of C2SP: a text, an empty line, and one line for each signature. */
import { sha256 } from '#sha256'
import { decodeBase64, encodeBase64 } from '../encoding/base64.ts'

/** How a key signs: the note itself, or, as a witness, the note with a time. */
export const KEY_TYPES = { log: 1, witness: 4 } as const
type KeyType = (typeof KEY_TYPES)[keyof typeof KEY_TYPES]

const PUBLIC_KEY_BYTES = 32
const ID_BYTES = 4
const TIME_BYTES = 8
const MAX_SIGNATURES = 100
const SIGNATURE_LINE = /^— ([^ +]+) ([A-Za-z0-9+/]+={0,2})$/u
const encoder = new TextEncoder()

export interface NoteKey {
  readonly name: string
  readonly type: KeyType
  /** The first bytes of a hash over name and key, as hex: a hint at which key signed, never a proof. */
  readonly id: string
  readonly public_key: Uint8Array<ArrayBuffer>
}

export interface NoteSignature {
  readonly name: string
  readonly id: string
  readonly signature: Uint8Array<ArrayBuffer>
}

export interface Note {
  /** The signed text, including its final newline. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

/** A signer whose signature was verified. */
export interface Signer {
  readonly key: NoteKey
  /** The time of signing that a witness states, in seconds. */
  readonly time_s: number | undefined
}

export type NoteFault = 'malformed_key' | 'malformed_note' | 'bad_signature' | 'unsigned'

/** A key or a note that must not be trusted. */
export class NoteError extends Error {
  override readonly name = 'NoteError'
  readonly fault: NoteFault

  constructor(fault: NoteFault, detail: string) {
    super(detail)
    this.fault = fault
  }
}

/** The key with the name under which it signs notes. */
export function noteKey(name: string, type: KeyType, public_key: Uint8Array): NoteKey {
  if (!isKeyName(name)) throw new NoteError('malformed_key', 'The name of a key has no blanks and no plus.')
  if (public_key.length !== PUBLIC_KEY_BYTES)
    throw new NoteError('malformed_key', 'An Ed25519 key has 32 bytes.')
  const owned = new Uint8Array(public_key)
  return { name, type, id: keyId(name, type, owned), public_key: owned }
}

/** Whether the text can name a log, a witness or a key. */
export function isKeyName(name: string): boolean {
  return /^[^\s+\p{C}]{1,255}$/u.test(name) && name.isWellFormed()
}

/** The text form of a key, for publishing and pinning: name, ID and key, joined by plus signs. */
export function vkeyOf({ name, id, type, public_key }: NoteKey): string {
  return `${name}+${id}+${encodeBase64(Uint8Array.of(type, ...public_key))}`
}

/** Parses the output of `vkeyOf`. */
export function readVkey(text: string): NoteKey {
  const [, name, id, encoded] = /^([^+]+)\+([0-9a-f]{8})\+(.+)$/u.exec(text) ?? []
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
  const type = Object.values(KEY_TYPES).find((known) => known === bytes?.[0])
  if (name === undefined || bytes === undefined || type === undefined)
    throw new NoteError('malformed_key', 'A verifier key has the form <name>+<8 hex digits>+<base64>.')
  const key = noteKey(name, type, bytes.subarray(1))
  if (key.id !== id)
    throw new NoteError('malformed_key', 'The id of the verifier key is not that of its key.')
  return key
}

/** Parses a note without verifying its signatures. */
export function readNote(note: string): Note {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n'))
    throw new NoteError('malformed_note', 'A note ends with an empty line, signatures and a newline.')
  if (hasControls(note) || !note.isWellFormed())
    throw new NoteError('malformed_note', 'A note has no control characters.')
  const lines = note.slice(end + 2).split('\n')
  lines.pop()
  if (lines.length === 0 || lines.length > MAX_SIGNATURES)
    throw new NoteError('malformed_note', `A note has 1 to ${MAX_SIGNATURES} signatures.`)
  return { text: note.slice(0, end + 1), signatures: lines.map(readSignature) }
}

function hasControls(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if ((code < 0x20 && code !== 0x0a) || code === 0x7f) return true
  }
  return false
}

function readSignature(line: string): NoteSignature {
  const [, name, encoded] = SIGNATURE_LINE.exec(line) ?? []
  const bytes = encoded === undefined ? undefined : decodeBase64(encoded)
  if (name === undefined || bytes === undefined || bytes.length <= ID_BYTES)
    throw new NoteError('malformed_note', 'A signature line has an em dash, a name and base64.')
  return { name, id: hex(bytes.subarray(0, ID_BYTES)), signature: bytes.slice(ID_BYTES) }
}

/**
 * The keys of `keys` that signed the note. Signatures of unknown keys are ignored; an invalid signature of a known key
 * invalidates the whole note. Throws when none of `keys` signed.
 */
export async function signersOf({ text, signatures }: Note, keys: readonly NoteKey[]): Promise<Signer[]> {
  const signers: Signer[] = []
  for (const { name, id, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.id === id)
    if (key === undefined) continue
    signers.push(await verified(text, key, signature))
  }
  if (signers.length === 0) throw new NoteError('unsigned', 'No known key signed the note.')
  return signers
}

async function verified(text: string, key: NoteKey, signature: Uint8Array<ArrayBuffer>): Promise<Signer> {
  if (key.type === KEY_TYPES.log) {
    await assertSigned(key, signature, text)
    return { key, time_s: undefined }
  }
  const time = signature.length < TIME_BYTES ? 0n : new DataView(signature.buffer).getBigUint64(0)
  if (time === 0n || time > BigInt(Number.MAX_SAFE_INTEGER))
    throw new NoteError('bad_signature', `${key.name} cosigned at no time.`)
  const time_s = Number(time)
  await assertSigned(key, signature.slice(TIME_BYTES), cosignedText(text, time_s))
  return { key, time_s }
}

async function assertSigned(key: NoteKey, signature: Uint8Array<ArrayBuffer>, text: string): Promise<void> {
  const publicKey = await crypto.subtle.importKey('raw', key.public_key, 'Ed25519', false, ['verify'])
  const isSigned = await crypto.subtle.verify('Ed25519', publicKey, signature, encoder.encode(text))
  if (!isSigned) throw new NoteError('bad_signature', `The signature of ${key.name} is not over this note.`)
}

/** The message that a witness signs: it saw `text`, the body of a checkpoint, at a given time. */
export function cosignedText(text: string, time_s: number): string {
  return `cosignature/v1\ntime ${time_s}\n${text}`
}

export type Sign = (data: Uint8Array) => Promise<Uint8Array> | Uint8Array

/** The signature line that a log adds to its own note. */
export async function signatureLine(text: string, key: NoteKey, sign: Sign): Promise<string> {
  return lineOf(key, await sign(encoder.encode(text)))
}

/** The signature line that a witness adds to the note of a log. */
export async function cosignatureLine(
  text: string,
  time_s: number,
  key: NoteKey,
  sign: Sign,
): Promise<string> {
  const signature = await sign(encoder.encode(cosignedText(text, time_s)))
  const stamped = new Uint8Array(TIME_BYTES + signature.length)
  new DataView(stamped.buffer).setBigUint64(0, BigInt(time_s))
  stamped.set(signature, TIME_BYTES)
  return lineOf(key, stamped)
}

function lineOf({ name, id }: NoteKey, signature: Uint8Array): string {
  return `— ${name} ${encodeBase64(Uint8Array.of(...bytesOf(id), ...signature))}\n`
}

/** A note: its text, which ends with a newline, and its signature lines. */
export function signedNote(text: string, lines: readonly string[]): string {
  return `${text}\n${lines.join('')}`
}

function keyId(name: string, type: KeyType, public_key: Uint8Array): string {
  const named = encoder.encode(`${name}\n`)
  return hex(sha256(Uint8Array.of(...named, type, ...public_key)).subarray(0, ID_BYTES))
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOf(id: string): number[] {
  return (id.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
}
