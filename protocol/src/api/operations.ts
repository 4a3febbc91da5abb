import { ACTION_OPERATIONS } from './actions/index.ts'
import { AGENT_OPERATIONS } from './agents/index.ts'
import { APPROVAL_OPERATIONS } from './approvals/index.ts'
import { DEPLOYMENT_OPERATIONS } from './deployment/index.ts'
import { EVENT_OPERATIONS } from './events/index.ts'
import { LOG_OPERATIONS } from './log/index.ts'
import { NOTIFICATION_OPERATIONS } from './notifications/index.ts'
import type { Operation } from './operation.ts'
import { PEOPLE_OPERATIONS } from './people/index.ts'
import { SIGNAL_OPERATIONS } from './signals/index.ts'
import { STATS_OPERATIONS } from './stats/index.ts'
import { TOKEN_OPERATIONS } from './tokens/index.ts'
import { TRUST_OPERATIONS } from './trust/index.ts'
import { VERIFICATION_OPERATIONS } from './verification/index.ts'
import { WORKFLOW_OPERATIONS } from './workflows/index.ts'

/** Every endpoint of the API. The name of a row is its operation id, its handler and its SDK method. */
export const OPERATIONS = {
  ...TOKEN_OPERATIONS,
  ...ACTION_OPERATIONS,
  ...APPROVAL_OPERATIONS,
  ...AGENT_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
  ...LOG_OPERATIONS,
  ...EVENT_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...STATS_OPERATIONS,
  ...NOTIFICATION_OPERATIONS,
  ...TRUST_OPERATIONS,
  ...VERIFICATION_OPERATIONS,
  ...SIGNAL_OPERATIONS,
  ...DEPLOYMENT_OPERATIONS,
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof OPERATIONS
