/**
 * Templates of enrolled people in the registry: one for each person of a tenant, encrypted for tenant, owner and leaf.
 * The log holds a keyed digest of each version and none of its content. Erasing the person destroys the key.
 */
import { AuthorityError } from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import type { RegisterOutcome } from '../../clerk/judges/register.ts'
import { DAY_MS, isoInstant } from '../../domain/times/time.ts'
import type { RegistryEntry } from '../../store/port/registry.ts'
import { DURESS_SLOT_LENGTH, EMPTY_DURESS_SLOT } from '../../verification/duress-slot.ts'
import type { Template } from '../../verification/template.ts'
import type { OperationContext } from '../operation-context.ts'

export type EnrolledPerson = Pick<HumanCaller, 'tenant_id' | 'human_ref'>

/** What the person agreed to, and when. */
export interface BiometricConsent {
  readonly version: string
  readonly accepted_at: string
  /** SHA-256 of the text that they were shown. */
  readonly text_hash: string
}

/** What the registry stores about an enrolled person. */
export interface BiometricDocument {
  readonly template: Template
  readonly consent: BiometricConsent
  readonly enrolled_at: string
  /** When the person enrolled again. */
  readonly replaced_at?: string
  /** When the template is deleted. */
  readonly retention_until: string
  /** In open mode any program on the machine can enroll anyone, so such a template doesn't count in keyed mode. */
  readonly enrolled_in: 'open' | 'keyed'
  /** Always `DURESS_SLOT_LENGTH` characters. Blank if the person has no duress sign. */
  readonly duress: string
}

export interface KnownBiometric {
  readonly document: BiometricDocument
  readonly log_index: number
}

export type NewTemplate = Pick<BiometricDocument, 'template' | 'consent'>

/** Returns a person's template. Undefined if they never enrolled, withdrew, were erased, or the retention is over. */
export async function templateOf(
  person: EnrolledPerson,
  context: TemplateContext,
): Promise<KnownBiometric | undefined> {
  const known = await storedBiometric(person, context)
  return known !== undefined && counts(known.document, context) ? known : undefined
}

type TemplateContext = Pick<OperationContext, 'reader' | 'clock' | 'access'>

/** Returns what is stored about a person, whether it still counts or waits to be deleted. */
async function storedBiometric(
  person: EnrolledPerson,
  { reader }: TemplateContext,
): Promise<KnownBiometric | undefined> {
  const entry = await reader.registry.entry('biometric', biometricId(person))
  return entry && knownBiometric(entry)
}

function counts(
  { retention_until, enrolled_in }: BiometricDocument,
  { clock, access }: TemplateContext,
): boolean {
  return Date.parse(retention_until) > clock() && (enrolled_in === 'keyed' || access === 'open')
}

function knownBiometric({ document, log_index }: RegistryEntry): KnownBiometric | undefined {
  return document === undefined ? undefined : { document: JSON.parse(document), log_index }
}

/** Enrolls a person for the first time. Refuses with `already_enrolled` if they are already enrolled. */
export async function storeTemplate(
  person: EnrolledPerson,
  { template, consent }: NewTemplate,
  context: OperationContext,
): Promise<BiometricDocument> {
  const document: BiometricDocument = {
    template,
    consent,
    ...enrolmentTimes(context),
    enrolled_in: context.access,
    duress: EMPTY_DURESS_SLOT,
  }
  if (!(await isPut(person, document, await freeVersion(person, context), context)))
    throw new AuthorityError('already_enrolled')
  return document
}

/** Returns the version that a new template replaces. One that no longer counts doesn't block a new one. */
async function freeVersion(person: EnrolledPerson, context: OperationContext) {
  const known = await storedBiometric(person, context)
  return known === undefined || counts(known.document, context) ? 'absent' : known.log_index
}

function enrolmentTimes({ clock, verification: { biometric_retention_days } }: OperationContext) {
  const now_ms = clock()
  const retention_until = isoInstant(now_ms + biometric_retention_days * DAY_MS)
  return { enrolled_at: isoInstant(now_ms), retention_until }
}

/** Replaces the template of a person who has just passed a verification against the old one. */
export async function replaceTemplate(
  person: EnrolledPerson,
  { template, consent }: NewTemplate,
  context: OperationContext,
): Promise<BiometricDocument> {
  const { enrolled_at: replaced_at, retention_until } = enrolmentTimes(context)
  return updateBiometric(
    person,
    (known) => ({ ...known, template, consent, replaced_at, retention_until }),
    context,
  )
}

/** Changes what is stored about an enrolled person. If two changes are concurrent, the second builds on the first. */
export async function updateBiometric(
  person: EnrolledPerson,
  change: (known: BiometricDocument) => BiometricDocument,
  context: OperationContext,
): Promise<BiometricDocument> {
  for (;;) {
    const known = await templateOf(person, context)
    if (known === undefined) throw new AuthorityError('not_enrolled')
    const document = change(known.document)
    if (await isPut(person, document, known.log_index, context)) return document
  }
}

/** Writes the entry. False if it has changed since the caller read it. */
async function isPut(
  person: EnrolledPerson,
  document: BiometricDocument,
  expects: number | 'absent',
  { clerk }: OperationContext,
): Promise<boolean> {
  if (document.duress.length !== DURESS_SLOT_LENGTH) throw new Error('the slot has one length')
  try {
    await clerk.submit({ ...registration(person), document: JSON.stringify(document), expects })
    return true
  } catch (error) {
    if (error instanceof AuthorityError && error.code === 'registry_conflict') return false
    throw error
  }
}

/**
 * Deletes the template, in the stop lane. `by` names who requested it, if anyone did. Returns whether there was one. No
 * copy remains in the files of the store.
 */
export async function deleteTemplate(
  person: EnrolledPerson,
  by: string | undefined,
  { clerk }: OperationContext,
): Promise<boolean> {
  const { outcome } = await clerk.submit(
    { ...registration(person), document: undefined, expects: 'any', by },
    'stop',
  )
  const { log_index } = outcome as RegisterOutcome // the outcome type of this command's judge
  return log_index !== undefined
}

function registration({ tenant_id, human_ref }: EnrolledPerson) {
  const id = biometricId({ tenant_id, human_ref })
  return { kind: 'register', entry_kind: 'biometric', id, tenant_id, owner: human_ref } as const
}

/** Returns the ID of the entry. It is derived from the ref, so a person has one entry in a tenant. */
export function biometricId({ tenant_id, human_ref }: EnrolledPerson): string {
  return `${tenant_id} ${human_ref}`
}
