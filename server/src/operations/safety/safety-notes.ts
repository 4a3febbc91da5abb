/**
 * What the safety desk is told about verifications and about changes of a sign. Every judged verification has one note in
 * the registry, written in the commit of its result, and so has every change. All are sealed for their person and of one
 * length, so that neither the log nor the store shows which of them say that a person may be under coercion.
 */
import { randomBytes } from 'node:crypto'
import { newId } from '@deputize/protocol'
import type { RegisterCommand } from '../../clerk/command.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import { readDuressSlot } from '../../verification/duress-slot.ts'

export interface SafetyNote {
  /** Of a verification, or an id of the same form for a change of a sign. */
  readonly verification_id: string
  readonly at: string
  readonly passed: boolean
  readonly duress: boolean
  /** Absent means a verification. */
  readonly about?: 'verification' | 'sign_changed'
  readonly contacts: readonly string[]
  /** The id of the entry with the decision of the desk. Random, so that nobody else can look for it in the log. */
  readonly resolution_id: string
}

/** The decision of the desk, in an entry that looks like that of a note. */
export interface SafetyResolution {
  /** A verification; or a token that was released without an alert. */
  readonly resolves: string
  readonly outcome: 'safe' | 'revoke'
  readonly note: string | undefined
  readonly at: string
}

export interface JudgedVerification {
  readonly verification_id: string
  readonly tenant_id: string
  readonly human_ref: string
  readonly passed: boolean
  /** Whether the person gave their sign of coercion. */
  readonly duress: boolean
  /** The slot of the person's template. */
  readonly slot: string
  readonly at: string
}

/** The command that writes the note of a verification. It goes into the commit of the verification. */
export function safetyNoteCommand(verification: JudgedVerification): RegisterCommand {
  const { verification_id, passed, duress, at, slot } = verification
  const note: SafetyNote = {
    verification_id,
    at,
    passed,
    duress,
    contacts: duress ? (readDuressSlot(slot)?.contacts ?? []) : [],
    resolution_id: newResolutionId(),
  }
  return { ...safetyEntry(verification, verification_id, note), expects: 'absent' }
}

/**
 * The command that writes the note about a sign that is removed or replaced with a passkey. A passkey cannot carry a sign of
 * coercion, so the contacts of the old sign are told each time. Someone who had none gets a note that says nothing.
 */
export function signChangeCommand(
  person: Pick<JudgedVerification, 'tenant_id' | 'human_ref'>,
  { slot, is_told }: { readonly slot: string; readonly is_told: boolean },
  now_ms: number,
): RegisterCommand {
  const old = is_told ? readDuressSlot(slot) : undefined
  const verification_id = newId('verification', now_ms)
  const note: SafetyNote = {
    verification_id,
    at: isoInstant(now_ms),
    // It proves nothing about the person.
    passed: false,
    duress: old !== undefined,
    about: 'sign_changed',
    contacts: old?.contacts ?? [],
    resolution_id: newResolutionId(),
  }
  return { ...safetyEntry(person, verification_id, note), expects: 'absent' }
}

export function newResolutionId(): string {
  return randomBytes(24).toString('base64url')
}

/** The command that writes the decision of the desk. */
export function resolutionCommand(
  owner: Pick<JudgedVerification, 'tenant_id' | 'human_ref'>,
  { resolution_id }: Pick<SafetyNote, 'resolution_id'>,
  resolution: SafetyResolution,
): RegisterCommand {
  return { ...safetyEntry(owner, resolution_id, resolution), expects: 'absent' }
}

function safetyEntry(
  { tenant_id, human_ref: owner }: Pick<JudgedVerification, 'tenant_id' | 'human_ref'>,
  id: string,
  document: SafetyNote | SafetyResolution,
) {
  return {
    kind: 'register',
    entry_kind: 'review',
    id,
    tenant_id,
    owner,
    document: paddedText(document),
  } as const
}

/** Bytes of every document: the longest slot and the longest note of a desk fit. */
const DOCUMENT_BYTES = 12_288

function paddedText(document: SafetyNote | SafetyResolution): string {
  const text = JSON.stringify(document)
  const missing = DOCUMENT_BYTES - Buffer.byteLength(text)
  if (missing < 0) throw new RangeError('a safety note does not fit')
  return text + ' '.repeat(missing)
}

/** The note in an entry; undefined for an entry that holds a decision of the desk. */
export function safetyNoteIn({ document }: Pick<KeptEntry, 'document'>): SafetyNote | undefined {
  const read: SafetyNote | SafetyResolution = JSON.parse(document) // only the functions above write such entries
  return 'resolves' in read ? undefined : read
}

/** The decision in an entry of the desk. */
export function resolutionIn({ document }: Pick<KeptEntry, 'document'>): SafetyResolution | undefined {
  const read: SafetyNote | SafetyResolution = JSON.parse(document) // as above
  return 'resolves' in read ? read : undefined
}
