import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { OperationContext } from '../operation-context.ts'
import type { VouchSight } from '../views/score-view.ts'

const WHOLE: VouchSight = { isWhole: true, maySee: () => true }
const AGENT = 'agent:'

/**
 * Returns what a caller may see of a score's graph. Staff of a tenant see all of it. People see the vouches that they
 * gave or received, and everything behind their own score and those of agents that they own. Who else vouches for whom
 * isn't shown to them.
 */
export async function vouchSight(
  subject: string,
  caller: Caller,
  { reader }: OperationContext,
): Promise<VouchSight> {
  if (caller.role !== 'human' || caller.human_refs.includes(subject)) return WHOLE
  const agent = subject.startsWith(AGENT) ? await reader.agent(subject.slice(AGENT.length)) : undefined
  if (caller.human_refs.some((ref) => agent?.owned_by?.includes(`human:${ref}`) === true)) return WHOLE
  return { isWhole: false, maySee: (...ends) => ends.some((ref) => caller.human_refs.includes(ref)) }
}

/**
 * Returns what a caller may see around a subject. A person sees the vouches from and to themselves, and those for an
 * agent that they own.
 */
export async function neighbourSight(
  subject: string,
  caller: Caller,
  context: OperationContext,
): Promise<VouchSight> {
  if (caller.role !== 'human') return WHOLE
  const { isWhole: isOwn } = await vouchSight(subject, caller, context)
  const own = new Set(isOwn ? [...caller.human_refs, subject] : caller.human_refs)
  return { isWhole: false, maySee: (...ends) => ends.some((ref) => own.has(ref)) }
}

/**
 * Refuses a person's view that isn't the caller's own. The trust that flows from a person shows whom they trust, so
 * people may see only their own.
 */
export function assertOwnView(human_ref: string, caller: Caller, member: string): void {
  if (caller.role !== 'human' || caller.human_refs.includes(human_ref)) return
  throw new AuthorityError(
    'not_yours',
    `You can see scores only as yourself. Set \`${member}\` to your own ref.`,
  )
}
