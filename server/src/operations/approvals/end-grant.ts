import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

export const endGrant: Handler<'endGrant'> = (call, context) =>
  submitCommand<{ ended: boolean }>({ kind: 'end_grant', approval_id: call.body.approval_id }, call, context)
