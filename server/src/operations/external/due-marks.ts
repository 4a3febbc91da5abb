/**
 * When a check or a redaction is due next. The marks are in the ephemeral store, so that only one of several nodes
 * acts; the registry says what there is to do. A lost mark is restored by the next sweep.
 */
import { type EphemeralEntry, putEphemeral, swapEphemeral } from '../../store/ephemeral.ts'
import type { OperationContext } from '../operation-context.ts'

export interface DueMark {
  readonly attempts: number
  readonly next_ms: number
}

type Marking = Pick<OperationContext, 'ephemeral' | 'clock'>

/** Marks far outlive the longest pause. */
const MARK_MS = 7 * 24 * 3600 * 1000
/** How long one attempt may take before another node makes the next one. */
const ATTEMPT_MS = 60_000
/** Marks are listed by the slice of time in which they are due. */
const SLICE_MS = 30_000

/** Adds a mark if there is none. */
export async function addMark(key: string, next_ms: number, context: Marking): Promise<void> {
  await context.ephemeral.add('external_due', markEntry(key, { attempts: 0, next_ms }, context))
}

/** Claims a due mark for one caller on one node. Undefined if it isn't due or another caller has it. */
export async function claimMark(key: string, context: Marking): Promise<DueMark | undefined> {
  const { ephemeral, clock } = context
  const known = await ephemeral.get('external_due', key)
  const mark = known === undefined ? { attempts: 0, next_ms: 0 } : markIn(known)
  if (clock() < mark.next_ms) return undefined
  const claimed = { ...mark, next_ms: clock() + ATTEMPT_MS }
  const entry = markEntry(key, claimed, context)
  return (await swapEphemeral(ephemeral, 'external_due', entry, known)) ? claimed : undefined
}

/** Sets when a claimed mark is due again. */
export async function moveMark(key: string, mark: DueMark, context: Marking): Promise<void> {
  await putEphemeral(context.ephemeral, 'external_due', markEntry(key, mark, context))
}

export async function dropMark(key: string, { ephemeral }: Marking): Promise<void> {
  await ephemeral.take('external_due', key)
}

/** Returns the keys that became due in the last two time slices. */
export async function dueKeys(context: Marking): Promise<string[]> {
  const now_ms = context.clock()
  const slices = await Promise.all(
    [now_ms - SLICE_MS, now_ms].map((at_ms) => context.ephemeral.ofOwner('external_due', sliceOf(at_ms))),
  )
  return slices.flat().flatMap((entry) => (markIn(entry).next_ms <= now_ms ? [entry.key] : []))
}

/** Adds the mark again if it is lost, and moves it to now if its time passed unnoticed. */
export async function refreshMark(key: string, context: Marking): Promise<void> {
  const known = await context.ephemeral.get('external_due', key)
  const now_ms = context.clock()
  if (known === undefined) return addMark(key, now_ms, context)
  const mark = markIn(known)
  if (mark.next_ms >= now_ms - SLICE_MS) return
  // Has no effect if another node has claimed it meanwhile.
  await context.ephemeral.replace(
    'external_due',
    markEntry(key, { ...mark, next_ms: now_ms }, context),
    known,
  )
}

export function pauseAfter(attempts: number, first_ms: number, most_ms: number): number {
  return Math.min(first_ms * 2 ** attempts, most_ms)
}

function sliceOf(at_ms: number): string {
  return `due ${Math.floor(at_ms / SLICE_MS)}`
}

function markEntry(key: string, mark: DueMark, { clock }: Marking): EphemeralEntry {
  return {
    key,
    value: JSON.stringify(mark),
    owner: sliceOf(mark.next_ms),
    expires_at_ms: clock() + MARK_MS,
  }
}

function markIn({ value }: EphemeralEntry): DueMark {
  return JSON.parse(value) // only `markEntry` writes such values
}
