/** What was found: as facts for programs, and as lines for people. */
import { type Audit, encodeBase64, type SoundFile, vkeyOf } from '@deputize/protocol/verifier'
import type { Contact } from './contact.ts'
import { inWords } from './progress-bar.ts'
import type { Question } from './question.ts'

export function auditFacts(audit: Audit, { workflow, quick }: Question): Record<string, unknown> {
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

export function contactFacts({ address, key, is_first, file }: Contact): Record<string, unknown> {
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
  question: Question,
): string[] {
  const { witnesses } = checkpoint
  return [
    `  entries    ${inWords(checkpoint.size)}, ${inWords(newly_seen)} of them new, ${inWords(entries)} read and hashed again`,
    ...(audit.first_at === undefined ? [] : [`  times      ${audit.first_at} to ${audit.last_at}`]),
    `  root       ${encodeBase64(checkpoint.root)}`,
    ...witnesses.map(
      ({ key, time_s = 0 }) => `  witness    ${key.name} at ${new Date(time_s * 1000).toISOString()}`,
    ),
    ...(question.workflow === undefined ? [] : [workflowLine(question.workflow, audit.watched)]),
  ]
}

function workflowLine(workflow: string, watched: readonly number[]): string {
  const some = watched.slice(0, 20).join(', ')
  const more = watched.length > 20 ? ', …' : ''
  return `  workflow   ${workflow}: ${inWords(watched.length)} entries${some === '' ? '' : ` (${some}${more})`}`
}

export function contactLines({ key, is_first, file }: Contact): string[] {
  if (!is_first) return [`  key        ${vkeyOf(key)} (pinned)`]
  return [
    `  key        ${vkeyOf(key)}`,
    '',
    'This was the first contact: the service itself named this key, and nobody vouched for it.',
    'Compare it with what the operator publishes elsewhere. It is pinned from now on, in',
    `  ${file}`,
    'and another key or name of the log will be a fault.',
  ]
}

export function fileLines(file: string, sound: SoundFile): string[] {
  const { checkpoint, vkey, pinned } = sound
  const what =
    sound.kind === 'pack'
      ? `  workflow   ${sound.provenance_ref}: ${inWords(sound.entries)} entries, ${inWords(sound.records)} records`
      : `  record     ${sound.aar_id}: ${sound.entries.map(({ kind, index }) => `${kind} at ${index}`).join(', ')}`
  return [
    `The ${sound.kind === 'pack' ? 'proof pack' : 'receipt'} ${file} is sound.`,
    what,
    `  log        ${checkpoint.origin}, ${inWords(checkpoint.size)} entries`,
    ...(pinned ? [] : unpinnedLines(vkey)),
  ]
}

function unpinnedLines(vkey: string): string[] {
  return [
    `  key        ${vkey}`,
    '',
    'No key was pinned: the file is judged by the key that it names itself.',
    'Compare that key with what the operator publishes, or give it with --key.',
  ]
}

export function againstLines(sound: SoundFile, { checkpoint, watched }: Audit, { key }: Contact): string[] {
  const later = watched.filter((index) => index >= sound.checkpoint.size).length
  return [
    `The log ${key.name} is sound, holds it, and has ${inWords(checkpoint.size)} entries.`,
    ...(sound.kind === 'pack' ? ['The pack leaves nothing out.'] : []),
    ...(later > 0 ? [`Since it was made, the log has told ${inWords(later)} more of the workflow.`] : []),
  ]
}
