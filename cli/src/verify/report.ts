/** The result of a verification: facts for programs, and lines for people. */
import { type Audit, encodeBase64, type SoundFile, vkeyOf } from '@deputize/protocol/verifier'
import type { LogContact } from './contact.ts'
import { grouped } from './progress-bar.ts'
import type { VerifyRequest } from './request.ts'

export function auditFacts(audit: Audit, { workflow, quick }: VerifyRequest): Record<string, unknown> {
  const { checkpoint, entries, newly_seen, counts, first_at, last_at, watched } = audit
  return {
    size: checkpoint.size,
    root: encodeBase64(checkpoint.root),
    entries_checked: entries,
    newly_seen,
    quick,
    counts,
    first_at,
    last_at,
    witnesses: checkpoint.witnesses.map(({ key, time_s }) => ({ name: key.name, time_s })),
    ...(workflow !== undefined && { workflow, indexes: watched }),
  }
}

export function contactFacts({ address, key, is_first, file }: LogContact): Record<string, unknown> {
  return { address: address.href, origin: key.name, vkey: vkeyOf(key), first_contact: is_first, state: file }
}

export function fileFacts(sound: SoundFile): Record<string, unknown> {
  const { kind, vkey, pinned, checkpoint } = sound
  const common = { kind, origin: checkpoint.origin, vkey, pinned, size: checkpoint.size }
  if (sound.kind === 'pack') {
    const { provenance_ref, entries, records } = sound
    return { ...common, provenance_ref, entries, records }
  }
  const entries = sound.entries.map(({ kind: moment, index, entry }) => ({
    kind: moment,
    index,
    at: entry.at,
  }))
  return { ...common, aar_id: sound.aar_id, entries }
}

export function auditLines(
  { checkpoint, entries, newly_seen, ...audit }: Audit,
  request: VerifyRequest,
): string[] {
  const { witnesses } = checkpoint
  return [
    `  entries    ${grouped(checkpoint.size)}, ${grouped(newly_seen)} of them new; ${grouped(entries)} read and hashed`,
    ...(audit.first_at === undefined ? [] : [`  times      ${audit.first_at} to ${audit.last_at}`]),
    `  root       ${encodeBase64(checkpoint.root)}`,
    ...witnesses.map(
      ({ key, time_s = 0 }) => `  witness    ${key.name} at ${new Date(time_s * 1000).toISOString()}`,
    ),
    ...(request.workflow === undefined ? [] : [workflowLine(request.workflow, audit.watched)]),
  ]
}

function workflowLine(workflow: string, watched: readonly number[]): string {
  const some = watched.slice(0, 20).join(', ')
  const more = watched.length > 20 ? ', …' : ''
  return `  workflow   ${workflow}: ${grouped(watched.length)} entries${some === '' ? '' : ` (${some}${more})`}`
}

export function contactLines({ key, is_first, file }: LogContact): string[] {
  if (!is_first) return [`  key        ${vkeyOf(key)} (pinned)`]
  return [
    `  key        ${vkeyOf(key)}`,
    '',
    'This was the first contact, and the key came from the service itself. Compare it',
    'with the key that the operator publishes elsewhere. The key is now pinned in',
    `  ${file}`,
    'and a different key or log name will be reported as a fault.',
  ]
}

export function fileLines(file: string, sound: SoundFile): string[] {
  const { checkpoint, vkey, pinned } = sound
  const what =
    sound.kind === 'pack'
      ? `  workflow   ${sound.provenance_ref}: ${grouped(sound.entries)} entries, ${grouped(sound.records)} records`
      : `  record     ${sound.aar_id}: ${sound.entries.map(({ kind, index }) => `${kind} at ${index}`).join(', ')}`
  return [
    `The ${sound.kind === 'pack' ? 'proof pack' : 'receipt'} ${file} is sound.`,
    what,
    `  log        ${checkpoint.origin}, ${grouped(checkpoint.size)} entries`,
    ...(pinned ? [] : unpinnedLines(vkey)),
  ]
}

export function unpinnedLines(vkey: string): string[] {
  return [
    `  key        ${vkey}`,
    '',
    'No key was pinned: the file was checked against the key that it contains. Compare',
    'that key with the one that the operator publishes, or pass it with --key.',
  ]
}

export function againstLines(
  sound: SoundFile,
  { checkpoint, watched }: Audit,
  { key }: LogContact,
): string[] {
  const later = watched.filter((index) => index >= sound.checkpoint.size).length
  return [
    `The log ${key.name} is sound, contains it, and has ${grouped(checkpoint.size)} entries.`,
    ...(sound.kind === 'pack' ? ['The pack is complete.'] : []),
    ...(later > 0 ? [`The log has ${grouped(later)} newer entries of this workflow.`] : []),
  ]
}
