/** The result of checking an audit pack: facts for programs, and lines for people. */
import type { Audit, SoundAuditPack } from '@deputize/protocol/verifier'
import type { LogContact } from './contact.ts'
import { grouped } from './progress-bar.ts'
import { unpinnedLines } from './report.ts'

export function auditPackFacts({
  manifest,
  checkpoint,
  vkey,
  pinned,
  verdict,
}: SoundAuditPack): Record<string, unknown> {
  const { made_at, chosen, tenant_id } = manifest
  return {
    kind: 'audit',
    origin: checkpoint.origin,
    vkey,
    pinned,
    size: checkpoint.size,
    made_at,
    tenant_id,
    chosen,
    verdict,
  }
}

export function auditPackLines(file: string, sound: SoundAuditPack): string[] {
  const { manifest, checkpoint, vkey, pinned, verdict } = sound
  const { totals } = verdict
  const decided = Object.entries(totals.decisions).filter(([, count]) => count > 0)
  return [
    `The audit pack ${file} is sound.`,
    `  workflows  ${grouped(totals.workflows)}: ${grouped(totals.entries)} entries, ${grouped(totals.records)} records`,
    ...decided.map(
      ([word, count], nth) =>
        `  ${nth === 0 ? 'decisions' : '         '}  ${grouped(count)} ${word.replaceAll('_', ' ')}`,
    ),
    ...verdict.witnesses.map(({ name, cosigned_at }) => `  witness    ${name} at ${cosigned_at}`),
    `  log        ${checkpoint.origin}, ${grouped(checkpoint.size)} entries`,
    `  made       ${manifest.made_at}`,
    `  unproven   ${verdict.unproven.join(', ')} of records`,
    ...(pinned ? [] : unpinnedLines(vkey)),
  ]
}

export function completeLines({ checkpoint }: Audit, { key }: LogContact): string[] {
  return [
    `The log ${key.name} is sound, contains it, and has ${grouped(checkpoint.size)} entries.`,
    'The pack leaves out no entry of its workflows.',
  ]
}
