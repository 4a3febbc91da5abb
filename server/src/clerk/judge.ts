import { agentOfClaims } from '../domain/token.ts'
import { type Needs, registryKey } from '../store/port.ts'
import type { BatchState } from './batch-state.ts'
import type { Command, RegisterCommand, SingleCommand } from './command.ts'
import { keyRotated, registerAgent } from './judges/agent.ts'
import { decideApproval, endHabit } from './judges/approval.ts'
import { authorize, recordAction } from './judges/authorization.ts'
import { cancel, complete, sweep } from './judges/close.ts'
import { eraseHuman } from './judges/erase.ts'
import { extendToken, issue } from './judges/issue.ts'
import { rate } from './judges/rate.ts'
import { register } from './judges/register.ts'
import { freeze, revoke, revokeAll } from './judges/revoke.ts'

/** Judges one command. A refusal is a thrown AuthorityError, always before the first change. */
export function judge(command: SingleCommand, batch: BatchState): unknown {
  switch (command.kind) {
    case 'record_action':
      return recordAction(command, batch)
    case 'authorize':
      return authorize(command, batch)
    case 'complete':
      return complete(command, batch)
    case 'cancel':
      return cancel(command, batch)
    case 'rate':
      return rate(command, batch)
    case 'issue':
      return issue(command, batch)
    case 'delegate':
    case 'renew':
      return extendToken(command, batch)
    case 'revoke':
      return revoke(command, batch)
    case 'revoke_all':
      return revokeAll(command, batch)
    case 'suspend':
    case 'resume':
      return freeze(command, batch)
    case 'erase_human':
      return eraseHuman(command, batch)
    case 'register_agent':
      return registerAgent(command, batch)
    case 'register':
      return register(command, batch)
    case 'decide_approval':
      return decideApproval(command, batch)
    case 'end_habit':
      return endHabit(command, batch)
    case 'key_rotated':
      return keyRotated(command, batch)
    case 'keep_checkpoint':
      return batch.addCheckpoint({ ...command, root: Buffer.from(command.root, 'base64') })
    case 'sweep':
      return sweep(command, batch)
    case 'probe':
      return batch.probe()
  }
}

/** Everything that the commands will read, so that the store can load it at once. */
export function needsOf(commands: readonly Command[]): Needs {
  const needs: Needs = {
    tokens: new Set(),
    records: new Set(),
    agents: new Set(),
    humans: new Set(),
    approvals: new Set(),
    replays: new Set(),
    registry: new Map(),
    overdue: 0,
  }
  for (const command of commands) addNeeds(command, needs)
  return needs
}

function addNeeds(command: Command, needs: Needs): void {
  if (command.kind === 'many') for (const item of command.items) addNeeds(item, needs)
  if (command.replay !== undefined) needs.replays.add(command.replay.key)
  if ('vat_jti' in command) needs.tokens.add(command.vat_jti)
  if ('above_jti' in command) needs.tokens.add(command.above_jti)
  if ('claims' in command) {
    needs.humans.add(command.claims.svc_human_ref)
    needs.agents.add(agentOfClaims(command.claims))
  }
  if ('aar_id' in command) needs.records.add(command.aar_id)
  if ('parent_aar_id' in command && command.parent_aar_id !== undefined)
    needs.records.add(command.parent_aar_id)
  if ('approval_id' in command && command.approval_id !== undefined) needs.approvals.add(command.approval_id)
  if ('agent_id' in command) needs.agents.add(command.agent_id)
  if ('human_ref' in command) needs.humans.add(command.human_ref)
  if ('target' in command) addOwner(command.target, needs)
  if (command.kind === 'register') addRegistered(command, needs)
  else if ('owner' in command) addOwner(command.owner, needs)
  if (command.kind === 'sweep') needs.overdue = Math.max(needs.overdue, command.limit)
}

function addRegistered({ entry_kind, id, owner }: RegisterCommand, needs: Needs): void {
  const name = { kind: entry_kind, id }
  needs.registry.set(registryKey(name), name)
  if (owner !== undefined) needs.humans.add(owner)
}

function addOwner(
  owner: { readonly agent_id: string } | { readonly human_ref: string } | { readonly vat_jti: string },
  needs: Needs,
): void {
  if ('agent_id' in owner) needs.agents.add(owner.agent_id)
  else if ('human_ref' in owner) needs.humans.add(owner.human_ref)
  else needs.tokens.add(owner.vat_jti)
}
