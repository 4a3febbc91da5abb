import { AuthorityError, loggedAgent } from '@deputize/protocol'
import type { Caller } from '../../access/caller.ts'
import { ownershipOf } from '../../access/ownership.ts'
import { callersAgent } from '../lists/list-visibility.ts'
import { loadAgent } from '../loading/load-agent.ts'
import { loadHuman } from '../loading/load-human.ts'
import type { OperationContext } from '../operation-context.ts'

const AGENT = 'agent:'

/** Returns a person or agent of the caller's tenant as named in the log. Throws `human_unknown` or `agent_unknown`. */
export async function knownSubject(
  subject: string,
  caller: Caller,
  context: OperationContext,
): Promise<string> {
  if (!subject.startsWith(AGENT)) return knownPerson(subject, caller, context)
  const agent_id = callersAgent(caller, subject)
  await loadAgent(agent_id, context)
  return loggedAgent(agent_id)
}

/** Returns the ref if the caller's tenant knows the person, or throws `human_unknown`. */
export async function knownPerson(
  human_ref: string,
  caller: Caller,
  context: OperationContext,
): Promise<string> {
  if (caller.role === 'local' || caller.role === 'public') {
    await loadHuman(human_ref, context)
    return human_ref
  }
  if (caller.role === 'human' && caller.human_refs.includes(human_ref)) return human_ref
  const ownership = await ownershipOf('human', human_ref, caller, context.reader)
  if (ownership?.tenant_id !== caller.tenant_id) throw new AuthorityError('human_unknown')
  return human_ref
}

/** Returns a subject as named in the log, known or not, for filters. */
export function loggedSubject(subject: string, caller: Caller): string {
  return subject.startsWith(AGENT) ? loggedAgent(callersAgent(caller, subject)) : subject
}
