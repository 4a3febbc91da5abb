import type { OperationId } from '@deputize/protocol'
import type { CallInput } from './authorize-caller.ts'
import type { Caller } from './caller.ts'

/** What a request says about who makes it. */
export interface Credentials {
  readonly method: string
  /** Path and query, as they stand in the request line. */
  readonly target: string
  readonly authorization: string | undefined
  /** The header DPoP. */
  readonly proof: string | undefined
  /** The secret of the session cookie. */
  readonly session: string | undefined
  /** The header Deputy-Token: a token that somebody else has shown to the caller. */
  readonly presented_token: string | undefined
  /** The header Deputy-Step-Up: says that the person has confirmed this very call with a passkey. */
  readonly grant: string | undefined
}

/** The guard of keyed mode. */
export interface Gate {
  /** Who is calling. Refuses a credential that is no good; without any, the caller is nobody in particular. */
  identify(credentials: Credentials): Promise<Caller>
  /** Requests a minute that a tenant may make; 0 for no limit. */
  tenantLimit(tenant_id: string): Promise<number>
  /** Refuses a call that this caller may not make. */
  permit(
    caller: Caller,
    operation_id: OperationId,
    input: CallInput,
    presented_token: string | undefined,
  ): Promise<void>
  /** Uses the grant of a person, and refuses a call that the tenant wants confirmed when there is none. True: it is. */
  confirm(
    caller: Caller,
    operation_id: OperationId,
    input: CallInput,
    grant: string | undefined,
  ): Promise<boolean>
}
