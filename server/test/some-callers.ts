import type { AnswerOf, OPERATIONS, OperationId } from '@deputize/protocol'
import type { Caller, HumanCaller, KeyCaller } from '../src/access/caller.ts'
import { HANDLERS } from '../src/operations/handlers.ts'
import type {
  CallEnvelope,
  Handler,
  OperationCall,
  OperationContext,
} from '../src/operations/operation-context.ts'

export function aDeveloper(tenant_id: string): KeyCaller {
  const key_id = `developer of ${tenant_id}`
  return { role: 'developer', tenant_id, name: key_id, key_id, audience: undefined }
}

export function anOperator(tenant_id: string): KeyCaller {
  return { ...aDeveloper(tenant_id), role: 'operator' }
}

export function anAuditor(tenant_id: string): KeyCaller {
  return { ...aDeveloper(tenant_id), role: 'auditor' }
}

export function aResourceServer(tenant_id: string): KeyCaller {
  return { ...aDeveloper(tenant_id), role: 'resource_server', audience: 'https://calendar.example' }
}

/** The review desk of a tenant. */
export function aReviewDesk(tenant_id: string): KeyCaller {
  return { ...aDeveloper(tenant_id), role: 'safety' }
}

export function aHuman(tenant_id: string, ...human_refs: [string, ...string[]]): HumanCaller {
  const [human_ref] = human_refs
  return {
    role: 'human',
    tenant_id,
    name: human_ref,
    human_ref,
    human_refs,
    assurance_level: 'L2',
    amr: ['hwk', 'user'],
    auth_time_ms: 0,
    session_key: 'session',
    csrf_token: 'csrf',
  }
}

/** The input of a call besides its envelope. Parts that the operation doesn't take may be omitted. */
export type Given<Id extends OperationId> = Partial<Omit<OperationCall<Id>, keyof CallEnvelope>>

/** Calls operations as `caller`, without HTTP or authentication. */
export function callerOf({ context }: { readonly context: OperationContext }, caller: Caller) {
  return async <Id extends OperationId>(
    operation_id: Id,
    given: Given<Id> = {},
  ): Promise<AnswerOf<(typeof OPERATIONS)[Id]>> => {
    const handler: Handler<Id> = HANDLERS[operation_id]
    const envelope: CallEnvelope = {
      caller,
      origin: 'http://127.0.0.1',
      operation_id,
      idempotency_key: undefined,
      trace_id: undefined,
      stepped_up: false,
      hasLeft: () => false,
      assertStillValid: async () => {},
      onReplay: () => {},
      onSession: () => {},
    }
    // Tests pass what the operation takes, which HTTP checks before it calls a handler.
    const call = {
      params: {},
      query: {},
      body: undefined,
      ...given,
      ...envelope,
    } as unknown as OperationCall<Id>
    return handler(call, context)
  }
}
