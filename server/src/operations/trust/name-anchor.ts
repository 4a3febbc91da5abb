import type { StoredAnchor } from '../../domain/vouch.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { anchorView, toMillionths } from '../views/vouch-view.ts'

export const nameAnchor: Handler<'nameAnchor'> = async (call, context) => {
  const { params, body, caller } = call
  const command = {
    kind: 'name_anchor',
    tenant_id: caller.tenant_id,
    human_ref: params.human_ref,
    base: toMillionths(body.base),
    reason: body.reason,
  } as const
  const { anchor } = await submitCommand<{ readonly anchor: StoredAnchor }>(command, call, context)
  return anchorView(anchor)
}
