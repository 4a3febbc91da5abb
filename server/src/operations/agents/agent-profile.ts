import { invalidField, KeyError, readHolderJwk, thumbprint } from '@deputize/protocol'
import { actorsOf } from '../../access/caller.ts'
import type { OperationContext, UntypedCall } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'
import { agentDetails } from './agent-details.ts'

interface AgentProfileChange {
  readonly agent_id: string
  readonly profile: Readonly<Record<string, unknown>>
  readonly owned_by?: readonly string[] | undefined
  /** JWKs. */
  readonly add_keys?: readonly unknown[] | undefined
  /** Thumbprints. */
  readonly remove_keys?: readonly string[] | undefined
  /** Refuses with `agent_unknown` instead of registering a new agent. */
  readonly must_exist: boolean
}

export async function setAgentProfile(
  { add_keys = [], remove_keys = [], ...change }: AgentProfileChange,
  call: UntypedCall,
  context: OperationContext,
) {
  const { caller } = call
  await submitCommand(
    {
      kind: 'register_agent',
      ...change,
      add_keys: add_keys.map((jwk, index) => thumbprintOf(jwk, `/add_keys/${index}`)),
      remove_keys,
      actors: caller.role === 'operator' ? undefined : actorsOf(caller),
    },
    call,
    context,
  )
  return agentDetails(change.agent_id, context)
}

function thumbprintOf(jwk: unknown, pointer: string): string {
  try {
    return thumbprint(readHolderJwk(jwk))
  } catch (error) {
    if (error instanceof KeyError) throw invalidField(pointer, `is not an accepted key: ${error.message}`)
    throw error
  }
}
