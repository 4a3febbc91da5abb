import type { Approvers } from '@deputize/protocol'

/** A person who approved a request that several people decide. */
export interface Endorsement {
  /** The `human_ref` under which the person may approve. */
  readonly by: string
  readonly at_ms: number
  /** Whether the person is a reviewer of the tenant. */
  readonly reviewer: boolean
  /** Whether the agent acts for this person. */
  readonly owner: boolean
}

/** The person who decides, under all refs that identify them. */
export interface Decider {
  readonly refs: readonly string[]
  readonly is_reviewer: boolean
}

/** The ref under which a person may approve, if any requirement names them or their role. */
export function approverRef(requirements: readonly Approvers[], decider: Decider): string | undefined {
  const named = requirements.flatMap(({ people = [] }) => people)
  const ref = decider.refs.find((one) => named.includes(one))
  const holdsRole = decider.is_reviewer && requirements.some(({ role }) => role === 'reviewer')
  return ref ?? (holdsRole ? decider.refs[0] : undefined)
}

/**
 * Whether every requirement has its number of approvals. The person that the agent acts for may be one of the approvers,
 * but never the only one.
 */
export function isEndorsed(
  requirements: readonly Approvers[],
  endorsements: readonly Endorsement[],
): boolean {
  return requirements.every((requirement) => {
    const counted = endorsements.filter((one) => counts(requirement, one))
    return counted.length >= requirement.count && counted.some(({ owner }) => !owner)
  })
}

function counts({ people, role }: Approvers, { by, reviewer }: Endorsement): boolean {
  return people?.includes(by) === true || (role === 'reviewer' && reviewer)
}

/** How many people must approve at least. */
export function requiredApprovals(requirements: readonly Approvers[]): number {
  return Math.max(1, ...requirements.map(({ count }) => count))
}
