/**
 * Who must approve: the people or role that a token names, the person that the agent acts for besides them, or the safety
 * desk for actions that are held for review.
 */
export interface RequiredApprovers {
  readonly count: number
  readonly people?: string[]
  readonly role?: 'reviewer' | 'person' | 'review_desk'
}

/** The safety desk decides alone: no one can approve in its place, not even the person that the agent acts for. */
export const REVIEW_DESK: RequiredApprovers = { count: 1, role: 'review_desk' }

/** For the person that the agent acts for, in addition to the people whom a token below names. */
export function askedPerson(human_ref: string): RequiredApprovers {
  return { count: 1, people: [human_ref], role: 'person' }
}

/** The name under which decisions of the safety desk are stored and logged. */
export const DESK_NAME = 'review_desk'

/** One person's approval of a request that several people decide. */
export interface Endorsement {
  /** The `human_ref` under which the person may approve. */
  readonly by: string
  readonly at_ms: number
  /** Whether the person is a reviewer of the tenant. */
  readonly reviewer: boolean
  /** Whether the agent acts for this person. */
  readonly owner: boolean
}

/** The person who decides, with all refs that identify them. */
export interface Decider {
  readonly refs: readonly string[]
  readonly is_reviewer: boolean
  /** Whether the caller works at the safety desk of the tenant. */
  readonly is_desk?: boolean
}

/** Returns the ref under which a person may approve, if any requirement names them or their role. */
export function approverRef(
  requirements: readonly RequiredApprovers[],
  decider: Decider,
): string | undefined {
  if (decider.is_desk === true)
    return requirements.some(({ role }) => role === 'review_desk') ? DESK_NAME : undefined
  const named = requirements.flatMap(({ people = [] }) => people)
  const ref = decider.refs.find((one) => named.includes(one))
  const holdsRole = decider.is_reviewer && requirements.some(({ role }) => role === 'reviewer')
  return ref ?? (holdsRole ? decider.refs[0] : undefined)
}

/**
 * Whether a person may approve a request. If it requires approvers, they must be one. If not, they must be the person
 * that the agent acts for, or a reviewer.
 */
export function mayApprove(
  { approvers, human_ref }: { readonly approvers: readonly RequiredApprovers[]; readonly human_ref: string },
  decider: Decider,
): boolean {
  if (approvers.length > 0) return approverRef(approvers, decider) !== undefined
  return decider.is_reviewer || decider.refs.includes(human_ref)
}

/**
 * Whether every requirement has its number of approvals. The person that the agent acts for may be one of the approvers,
 * but never the only one, except where they are asked themselves.
 */
export function isEndorsed(
  requirements: readonly RequiredApprovers[],
  endorsements: readonly Endorsement[],
): boolean {
  return requirements.every((requirement) => {
    const counted = endorsements.filter((one) => counts(requirement, one))
    if (counted.length < requirement.count) return false
    return requirement.role === 'person' || counted.some(({ owner }) => !owner)
  })
}

/** Whether an approval counts towards a requirement. */
export function counts({ people, role }: RequiredApprovers, { by, reviewer, owner }: Endorsement): boolean {
  if (role === 'person') return owner
  if (role === 'review_desk') return by === DESK_NAME
  return people?.includes(by) === true || (role === 'reviewer' && reviewer)
}

/** Returns how many people must approve at least. */
export function requiredApprovals(requirements: readonly RequiredApprovers[]): number {
  // The person doesn't count for the others, so they need someone else.
  const asks_person = requirements.some(({ role }) => role === 'person')
  return Math.max(asks_person ? 2 : 1, ...requirements.map(({ count }) => count))
}
