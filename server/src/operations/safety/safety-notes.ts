/**
 * Notes for the safety desk about verifications and about changes of a sign of coercion. Every judged verification has
 * one note in the registry, written in the commit of its result, and so does every change. All are sealed for their
 * person and have the same length, so neither the log nor the store shows which of them report possible coercion.
 */
import { randomBytes } from 'node:crypto'
import { newId } from '@deputize/protocol'
import type { RegisterCommand } from '../../clerk/command.ts'
import { isoInstant } from '../../domain/times/time.ts'
import type { KeptEntry } from '../../store/port/registry.ts'
import { readDuressSlot } from '../../verification/duress-slot.ts'

export interface SafetyNote {
  /** The ID of a verification, or one of the same form for a change of a sign. */
  readonly verification_id: string
  readonly at: string
  readonly passed: boolean
  readonly duress: boolean
  /** A verification if absent. */
  readonly about?: 'verification' | 'sign_changed'
  readonly contacts: readonly string[]
  /** The ID of the entry with the desk's decision. Random, so that no one else can search the log for it. */
  readonly resolution_id: string
}

/** The desk's decision, in an entry that looks like a note's. */
export interface SafetyResolution {
  /** The ID of a verification, or of a token that was released without an alert. */
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
  /** The duress slot of the person's template. */
  readonly slot: string
  readonly at: string
}

/** Returns the command that writes the note of a verification. It belongs in the commit of the verification. */
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
 * Returns the command that writes the note about a sign that is removed, or replaced with a passkey. A passkey can't
 * carry a sign of coercion, so the old sign's contacts are notified each time. For a person without a sign, the note
 * says nothing.
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
    // A change of a sign proves nothing about the person.
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

/** Returns the command that writes the desk's decision. */
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

/** Size of every document in bytes. The longest slot and the desk's longest note fit. */
const DOCUMENT_BYTES = 12_288

function paddedText(document: SafetyNote | SafetyResolution): string {
  const text = JSON.stringify(document)
  const missing = DOCUMENT_BYTES - Buffer.byteLength(text)
  if (missing < 0) throw new RangeError('a safety note does not fit')
  return text + ' '.repeat(missing)
}

/** Returns the note in an entry. Undefined for an entry that holds a decision of the desk. */
export function safetyNoteIn({ document }: Pick<KeptEntry, 'document'>): SafetyNote | undefined {
  const read: SafetyNote | SafetyResolution = JSON.parse(document) // only the functions above write such entries
  return 'resolves' in read ? undefined : read
}

/** Returns the desk's decision in an entry. Undefined for an entry that holds a note. */
export function resolutionIn({ document }: Pick<KeptEntry, 'document'>): SafetyResolution | undefined {
  const read: SafetyNote | SafetyResolution = JSON.parse(document) // as above
  return 'resolves' in read ? read : undefined
}
