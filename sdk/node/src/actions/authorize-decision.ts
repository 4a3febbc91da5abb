import type { AllowedDecision, DeniedDecision } from '../generated/operations.ts'

/** The decision about an action. It has `aar_id` if `authorized` is true, and `reasons` otherwise. */
export type AuthorizeDecision = AllowedDecision | DeniedDecision
