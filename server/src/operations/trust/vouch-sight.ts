import { AuthorityError } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { OperationContext } from '../operation-context.ts'
import type { VouchSight } from '../views/score-view.ts'

const WHOLE: VouchSight = { isWhole: true, maySee: () => true }
const AGENT = 'agent:'

/**
 * Staff of a tenant see its graph. A person sees the vouches that they gave or got, and everything behind the score of
 * themselves and of the agents that they own: who else vouches for whom is not theirs to know.
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

/** Around a subject, a person sees the vouches from and to themselves, and those for an agent that they own. */
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

/** What reaches a subject from one person says whom that person trusts, so people ask it of themselves only. */
export function assertOwnView(human_ref: string, caller: Caller, member: string): void {
  if (caller.role !== 'human' || caller.human_refs.includes(human_ref)) return
  throw new AuthorityError(
    'not_yours',
    `You can see scores only as yourself. Set \`${member}\` to your own ref.`,
  )
}
