import type { AllowedDecision, DeniedDecision } from '../generated/operations.ts'

/** The answer about an action. `if (decision.authorized)` has `aar_id`, otherwise `reasons`. */
export type AuthorizeDecision = AllowedDecision | DeniedDecision
