import type { Command } from './command.ts'

/** How many items a command stands for. Queues, batches and commits are limited by items, so a large call waits its turn. */
export function weightOf(command: Command): number {
  if (command.kind === 'many') return Math.max(1, command.items.length)
  if (command.kind === 'keep_scores') return Math.max(1, command.scores.length)
  return command.kind === 'sweep' ? command.limit : 1
}

/** Like `weightOf`, but measures load: a sweep may look at many items, but rarely finds any. */
export function loadOf(command: Command): number {
  return command.kind === 'sweep' ? 1 : weightOf(command)
}

/** Whether a command takes back authority or a credential. These commands go first, whichever call they come from. */
export function takesBack(command: Command): boolean {
  switch (command.kind) {
    case 'revoke':
    case 'revoke_all':
    case 'suspend':
    case 'erase_human':
    case 'cancel':
    case 'end_habit':
    case 'end_grant':
    case 'escalate_approval':
    case 'end_session':
    case 'withdraw_vouch':
    case 'key_withdrawn':
      return true
    case 'decide_approval':
      return command.decision === 'denied'
    case 'refuse_tokens':
      return command.refuses
    case 'register':
      return command.document === undefined
    case 'many':
      return command.items.length > 0 && command.items.every(takesBack) // one denial doesn't give approvals priority
    default:
      return false
  }
}

/** Whether the command must be written by the node that it was made on. */
export function isOwn(command: Command): boolean {
  return command.kind === 'probe' && command.is_own === true
}
