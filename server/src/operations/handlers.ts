import type { OperationId } from '@deputize/protocol'
import { ACTION_HANDLERS } from './actions/index.ts'
import { AGENT_HANDLERS } from './agents/index.ts'
import { APPROVAL_HANDLERS } from './approvals/index.ts'
import { DEPLOYMENT_HANDLERS } from './deployment/index.ts'
import { EVENT_HANDLERS } from './events/index.ts'
import { LOG_HANDLERS } from './log/index.ts'
import { NOTIFICATION_HANDLERS } from './notifications/index.ts'
import type { Handler } from './operation-context.ts'
import { PEOPLE_HANDLERS } from './people/index.ts'
import { SIGNAL_HANDLERS } from './signals/index.ts'
import { STATS_HANDLERS } from './stats/index.ts'
import { TOKEN_HANDLERS } from './tokens/index.ts'
import { TRUST_HANDLERS } from './trust/index.ts'
import { VERIFICATION_HANDLERS } from './verification/index.ts'
import { WORKFLOW_HANDLERS } from './workflows/index.ts'

/** The handler of every operation. An operation without a handler does not compile. */
export const HANDLERS: { readonly [Id in OperationId]: Handler<Id> } = {
  ...TOKEN_HANDLERS,
  ...ACTION_HANDLERS,
  ...APPROVAL_HANDLERS,
  ...AGENT_HANDLERS,
  ...WORKFLOW_HANDLERS,
  ...LOG_HANDLERS,
  ...EVENT_HANDLERS,
  ...PEOPLE_HANDLERS,
  ...STATS_HANDLERS,
  ...NOTIFICATION_HANDLERS,
  ...TRUST_HANDLERS,
  ...VERIFICATION_HANDLERS,
  ...SIGNAL_HANDLERS,
  ...DEPLOYMENT_HANDLERS,
}
