import { AuthorityError, tenantOf } from '@deputize/protocol'
import { agentOfClaims } from '../domain/tokens/token.ts'
import { ACCESS_ENTRY, type RegistryName, registryKey } from '../store/port/registry.ts'
import { keyHolderName, type Needs } from '../store/port/write-store.ts'
import type { BatchState } from './batch-state.ts'
import type { Command, RegisterCommand, SingleCommand } from './command.ts'
import { judgeSetAccessMode } from './judges/access-mode.ts'
import { judgeRegisterAgent } from './judges/agent.ts'
import { judgeFireAlert } from './judges/alert.ts'
import { judgeNameAnchor, judgeRemoveAnchor } from './judges/anchor.ts'
import { judgeAuthorize, judgeRecordAction } from './judges/authorization.ts'
import { judgeCancel, judgeComplete, judgeSweep } from './judges/close.ts'
import { judgeDecideApproval, judgeEndGrant, judgeEndHabit } from './judges/decide-approval.ts'
import { judgeEndpointDisabled } from './judges/endpoint-disabled.ts'
import { judgeEraseHuman } from './judges/erase.ts'
import { judgeEscalateApproval } from './judges/escalate-approval.ts'
import { judgeExtend, judgeIssue, judgePreviewToken } from './judges/issue.ts'
import { judgeRate } from './judges/rate.ts'
import { judgeRefuseTokens } from './judges/refuse-tokens.ts'
import { judgeRegister } from './judges/register.ts'
import { judgeRelease } from './judges/release.ts'
import { judgeRestored } from './judges/restored.ts'
import { judgeRevoke, judgeRevokeAll } from './judges/revoke.ts'
import { judgeBeginSession, judgeEndSession } from './judges/session.ts'
import { judgeKeyRotated, judgeKeyWithdrawn } from './judges/signing-key.ts'
import { judgeResume, judgeSuspend } from './judges/suspend.ts'
import { judgeChangeVouch, judgeVouch, judgeWithdrawVouch } from './judges/vouch.ts'
import { judgeKeepScores } from './judges/vouch-scores.ts'

/** Judges one command. A refusal is a thrown AuthorityError, always before the first change. */
export function judge(command: SingleCommand, batch: BatchState): unknown {
  switch (command.kind) {
    case 'record_action':
      return judgeRecordAction(command, batch)
    case 'authorize':
      return judgeAuthorize(command, batch)
    case 'complete':
      return judgeComplete(command, batch)
    case 'cancel':
      return judgeCancel(command, batch)
    case 'rate':
      return judgeRate(command, batch)
    case 'issue':
      return judgeIssue(command, batch)
    case 'delegate':
    case 'renew':
      return judgeExtend(command, batch)
    case 'revoke':
      return judgeRevoke(command, batch)
    case 'revoke_all':
      return judgeRevokeAll(command, batch)
    case 'suspend':
      return judgeSuspend(command, batch)
    case 'resume':
      return judgeResume(command, batch)
    case 'release':
      return judgeRelease(command, batch)
    case 'refuse_tokens':
      return judgeRefuseTokens(command, batch)
    case 'preview_token':
      return judgePreviewToken(command, batch)
    case 'erase_human':
      return judgeEraseHuman(command, batch)
    case 'register_agent':
      return judgeRegisterAgent(command, batch)
    case 'register':
      return judgeRegister(command, batch)
    case 'begin_session':
      return judgeBeginSession(command, batch)
    case 'end_session':
      return judgeEndSession(command, batch)
    case 'set_access_mode':
      return judgeSetAccessMode(command, batch)
    case 'endpoint_disabled':
      return judgeEndpointDisabled(command, batch)
    case 'decide_approval':
      return judgeDecideApproval(command, batch)
    case 'end_habit':
      return judgeEndHabit(command, batch)
    case 'escalate_approval':
      return judgeEscalateApproval(command, batch)
    case 'end_grant':
      return judgeEndGrant(command, batch)
    case 'vouch':
      return judgeVouch(command, batch)
    case 'change_vouch':
      return judgeChangeVouch(command, batch)
    case 'withdraw_vouch':
      return judgeWithdrawVouch(command, batch)
    case 'name_anchor':
      return judgeNameAnchor(command, batch)
    case 'remove_anchor':
      return judgeRemoveAnchor(command, batch)
    case 'keep_scores':
      return judgeKeepScores(command, batch)
    case 'fire_alert':
      return judgeFireAlert(command, batch)
    case 'key_rotated':
      return judgeKeyRotated(command, batch)
    case 'key_withdrawn':
      return judgeKeyWithdrawn(command, batch)
    case 'restored':
      return judgeRestored(command, batch)
    case 'keep_checkpoint':
      return batch.addCheckpoint({ ...command, root: Buffer.from(command.root, 'base64') })
    case 'sweep':
      return judgeSweep(command, batch)
    case 'settle_sums':
      return batch.settleSums()
    case 'repeat':
      throw new AuthorityError('not_found') // a stored answer is returned before a command is judged
    case 'probe':
      return batch.probe()
  }
}

/** Everything that the commands will read, so that the store can load it in one go. */
export function needsOf(commands: readonly Command[]): Needs {
  const needs: Needs = {
    tokens: new Set(),
    records: new Set(),
    agents: new Set(),
    humans: new Set(),
    approvals: new Set(),
    replays: new Set(),
    identities: new Set(),
    key_holders: new Map(),
    registry: new Map(),
    overdue: 0,
  }
  for (const command of commands) addNeeds(command, needs)
  return needs
}

/** The keys under which the answer to an earlier request may be stored, the likelier one first. */
export function replayKeys({ replay }: Pick<Command, 'replay'>): string[] {
  if (replay === undefined) return []
  return replay.ordered_key === undefined ? [replay.key] : [replay.ordered_key, replay.key]
}

function addNeeds(command: Command, needs: Needs): void {
  if (command.kind === 'many') for (const item of command.items) addNeeds(item, needs)
  for (const key of replayKeys(command)) needs.replays.add(key)
  if ('vat_jti' in command) needs.tokens.add(command.vat_jti)
  if ('above_jti' in command) needs.tokens.add(command.above_jti)
  if ('claims' in command) {
    needs.humans.add(command.claims.svc_human_ref)
    needs.agents.add(agentOfClaims(command.claims))
    if (command.actors !== undefined)
      addIdentity(agentOfClaims(command.claims), command.claims.cnf?.jkt, needs)
  }
  if ('aar_id' in command) needs.records.add(command.aar_id)
  if ('parent_aar_id' in command && command.parent_aar_id !== undefined)
    needs.records.add(command.parent_aar_id)
  if ('approval_id' in command && command.approval_id !== undefined) needs.approvals.add(command.approval_id)
  if ('agent_id' in command) needs.agents.add(command.agent_id)
  if ('human_ref' in command) needs.humans.add(command.human_ref)
  if ('target' in command) addOwner(command.target, needs)
  if ('session_key' in command) addEntry({ kind: 'session', id: command.session_key }, needs)
  if (command.kind === 'issue' && command.template_id !== undefined)
    addEntry({ kind: 'biometric', id: command.template_id }, needs)
  if (command.kind === 'issue' && command.check_id !== undefined)
    addEntry({ kind: 'external_check', id: command.check_id }, needs)
  if (command.kind === 'fire_alert') addEntry({ kind: 'alert_rule', id: command.rule_id }, needs)
  if (command.kind === 'set_access_mode') addEntry(ACCESS_ENTRY, needs)
  if (command.kind === 'register') addRegistered(command, needs)
  else if ('owner' in command) addOwner(command.owner, needs)
  if (command.kind === 'refuse_tokens' || command.kind === 'erase_human')
    addEntry({ kind: 'identity', id: command.human_ref }, needs)
  if (command.kind === 'sweep') needs.overdue = Math.max(needs.overdue, command.limit)
}

function addIdentity(agent_id: string, jkt: string | undefined, needs: Needs): void {
  needs.identities.add(agent_id)
  const tenant_id = tenantOf(agent_id)
  if (jkt !== undefined) needs.key_holders.set(keyHolderName(tenant_id, jkt), { tenant_id, jkt })
}

function addRegistered({ entry_kind, id, owner }: RegisterCommand, needs: Needs): void {
  addEntry({ kind: entry_kind, id }, needs)
  if (owner !== undefined) needs.humans.add(owner)
}

function addEntry(name: RegistryName, needs: Needs): void {
  needs.registry.set(registryKey(name), name)
}

function addOwner(
  owner: { readonly agent_id: string } | { readonly human_ref: string } | { readonly vat_jti: string },
  needs: Needs,
): void {
  if ('agent_id' in owner) needs.agents.add(owner.agent_id)
  else if ('human_ref' in owner) needs.humans.add(owner.human_ref)
  else needs.tokens.add(owner.vat_jti)
}
