import { AuthorityError, invalidField, newId } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import type { VouchOutcome } from '../../clerk/judges/vouch.ts'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { toMillionths, vouchView } from '../views/vouch-view.ts'
import { knownSubject } from './subjects.ts'
import { futureInstant } from './vouch-end.ts'

export const vouch: Handler<'vouch'> = async (call, context) => {
  const { body, caller } = call
  const { clock } = context
  const from = voucher(caller, body.from)
  const command = {
    kind: 'vouch',
    vouch_id: newId('vouch', clock()),
    tenant_id: caller.tenant_id,
    from,
    to: await knownSubject(body.to, caller, context),
    weight: toMillionths(body.weight ?? 1),
    context: body.context,
    note: body.note,
    expires_at_ms: body.expires_at === undefined ? undefined : futureInstant(body.expires_at, clock()),
  } as const
  const { vouch: made } = await submitCommand<VouchOutcome>(command, call, context)
  return vouchView(made, clock())
}

/** Returns who vouches: people vouch only as themselves. In open mode any program on this machine speaks for all. */
function voucher(caller: Caller, from: string | undefined): string {
  if (caller.role !== 'human') {
    if (from === undefined)
      throw invalidField('/from', 'is required in open mode: the human_ref of the person who vouches')
    return from
  }
  if (from !== undefined && !caller.human_refs.includes(from))
    throw new AuthorityError('not_yours', 'You can vouch only in your own name. Leave out `from`.')
  return caller.human_ref
}
