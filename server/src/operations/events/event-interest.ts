import { AuthorityError, invalidField, tokenRef } from '@deputize/protocol'
import type { Subscriber } from '../../events/audience.ts'
import type { EventNumbers } from '../../events/event-numbers.ts'
import type { EventInterest } from '../../events/interest.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import type { OperationCall, OperationContext } from '../operation-context.ts'
import { approverNames } from '../questions/approver-roles.ts'

type EventsCall = Pick<OperationCall<'listEvents'>, 'caller' | 'query'>

/** Returns which events the caller wants, and who it is as a subscriber. */
export async function eventInterest(
  { caller, query }: EventsCall,
  context: OperationContext,
): Promise<EventInterest> {
  const { type: types, agent_id, provenance_ref, vat_jti } = query
  return {
    subscriber: await subscriberOf(caller, context),
    filter: {
      types: types === undefined ? undefined : new Set(types),
      agent_id: agent_id === undefined ? undefined : callersAgent(caller, agent_id),
      provenance_ref,
      token_ref: vat_jti === undefined ? undefined : tokenRef(vat_jti),
    },
  }
}

async function subscriberOf(caller: EventsCall['caller'], context: OperationContext): Promise<Subscriber> {
  const { tenant_id } = caller
  switch (caller.role) {
    case 'local':
      return { role: 'local' }
    case 'operator':
    case 'developer':
    case 'auditor':
      return { role: caller.role, tenant_id }
    case 'human': {
      const is_reviewer = (await approverNames(caller, context)).includes('reviewer')
      return { role: 'human', tenant_id, human_refs: caller.human_refs, is_reviewer }
    }
    case 'agent': {
      const { provenance_ref, jti } = caller
      return { role: 'agent', tenant_id, provenance_ref, token_ref: tokenRef(jti) }
    }
    default:
      throw new TypeError(`the access table lets no ${caller.role} read events`)
  }
}

/**
 * Returns the first index that the caller wants. Refuses the number of an event that a restore has replaced, and one
 * that the log hasn't reached, because it belongs to another log.
 */
export function firstIndex(
  after: number,
  log_size: number,
  numbers: EventNumbers,
  pointer = '?after',
): number {
  if (after === -1) return 0
  const log_index = numbers.indexOf(after)
  if (log_index === undefined) throw logRestored(numbers.lastCommon(after))
  if (log_index < log_size) return log_index + 1
  const last = numbers.of(log_size - 1)
  throw invalidField(
    pointer,
    `must not be after the end of the log. Its last event has the number ${last}. Start again from there, or from -1 for all events`,
  )
}

function logRestored(after: number): AuthorityError {
  return new AuthorityError(
    'log_restored',
    `The service was restored from a backup, and this cursor is of an event that was lost. Continue with after=${after}, the last event that is the same as before, and treat all later events as new.`,
    { after },
  )
}
