/** What a verifier finds in an audit pack. The service states it in the pack, and every verifier recomputes it. */
import { encodeBase64 } from '../encoding/base64.ts'
import { isObject } from '../encoding/json.ts'
import type { SignedCheckpoint } from './checkpoint.ts'
import { DECISIONS, type DecisionWord } from './decisions.ts'
import { type SoundPack, UNPROVEN_MEMBERS } from './proof-pack.ts'

/** What one workflow contains. */
export interface WorkflowVerdict {
  readonly provenance_ref: string
  readonly entries: number
  readonly records: number
  readonly vouches: number
  readonly decisions: number
}

export interface AuditVerdict {
  readonly format: 'deputy-audit-verdict'
  readonly version: 1
  readonly outcome: 'sound'
  /** SHA-256 of `manifest.json`. */
  readonly manifest: string
  readonly log: { readonly origin: string; readonly size: number; readonly root: string }
  /** The witnesses of the manifest that cosigned the checkpoint. */
  readonly witnesses: readonly { readonly name: string; readonly cosigned_at?: string }[]
  readonly totals: Omit<WorkflowVerdict, 'provenance_ref' | 'decisions'> & {
    readonly workflows: number
    readonly decisions: Readonly<Record<DecisionWord, number>>
  }
  readonly workflows: readonly WorkflowVerdict[]
  /** Members of records that the pack contains but doesn't prove. */
  readonly unproven: readonly string[]
}

/** Counts what is found while a pack is read. */
export interface VerdictTally {
  /** A decision of the workflow that is being read. */
  countDecision(decision: DecisionWord): void
  endWorkflow(sound: SoundPack): void
  verdict(checkpoint: SignedCheckpoint, manifest_hash: string): AuditVerdict
}

export function verdictTally(): VerdictTally {
  const workflows: WorkflowVerdict[] = []
  const decisions = new Map<DecisionWord, number>()
  let inWorkflow = 0
  return {
    countDecision(decision) {
      decisions.set(decision, (decisions.get(decision) ?? 0) + 1)
      inWorkflow += 1
    },
    endWorkflow({ provenance_ref, entries, records, vouches }) {
      workflows.push({ provenance_ref, entries, records, vouches, decisions: inWorkflow })
      inWorkflow = 0
    },
    verdict: ({ origin, size, root, witnesses }, manifest) => ({
      format: 'deputy-audit-verdict',
      version: 1,
      outcome: 'sound',
      manifest,
      log: { origin, size, root: encodeBase64(root) },
      witnesses: witnesses.map(({ key, time_s }) => ({
        name: key.name,
        ...(time_s !== undefined && { cosigned_at: new Date(time_s * 1000).toISOString() }),
      })),
      totals: totalsOf(workflows, decisions),
      workflows,
      unproven: UNPROVEN_MEMBERS,
    }),
  }
}

function totalsOf(
  workflows: readonly WorkflowVerdict[],
  decisions: ReadonlyMap<DecisionWord, number>,
): AuditVerdict['totals'] {
  const sum = (name: 'entries' | 'records' | 'vouches') =>
    workflows.reduce((total, workflow) => total + workflow[name], 0)
  // DECISIONS lists every word, so the object has every member.
  const counts = Object.fromEntries(DECISIONS.map((word) => [word, decisions.get(word) ?? 0])) as Record<
    DecisionWord,
    number
  >
  return {
    workflows: workflows.length,
    entries: sum('entries'),
    records: sum('records'),
    vouches: sum('vouches'),
    decisions: counts,
  }
}

/** Where two JSON values differ first, as a path of members. Undefined if they are equal. */
export function firstDifference(one: unknown, other: unknown, at = ''): string | undefined {
  if (Object.is(one, other)) return undefined
  const areLists = Array.isArray(one) && Array.isArray(other)
  const areObjects = isObject(one) && isObject(other) && !Array.isArray(one) && !Array.isArray(other)
  if (!areLists && !areObjects) return at === '' ? '/' : at
  const names = new Set([...Object.keys(Object(one)), ...Object.keys(Object(other))])
  for (const name of names) {
    const found = firstDifference(Object(one)[name], Object(other)[name], `${at}/${name}`)
    if (found !== undefined) return found
  }
  return undefined
}
