import type { BatchState } from './batch-state.ts'
import type { SingleCommand } from './command.ts'

/**
 * The person whose personal data is in the command or its answer, or for whom it issues a token; undefined if there is
 * none.
 */
export function dataSubjectOf(command: SingleCommand, batch: BatchState): string | undefined {
  switch (command.kind) {
    case 'issue':
    case 'delegate':
    case 'renew':
      return command.claims.svc_human_ref
    case 'record_action':
    case 'authorize':
      return command.metadata === undefined ? undefined : humanOfToken(command.vat_jti, batch)
    case 'complete':
    case 'cancel':
      return batch.record(command.aar_id)?.human_ref
    case 'rate':
      return command.note === undefined ? undefined : batch.record(command.aar_id)?.human_ref
    case 'decide_approval':
      return batch.approval(command.approval_id)?.human_ref
    case 'register':
      return command.owner
    case 'vouch':
      return command.from
    case 'name_anchor':
      return command.human_ref
    case 'revoke':
      return command.reason === undefined ? undefined : humanOfToken(command.vat_jti, batch)
    case 'suspend':
      return command.reason !== undefined && 'vat_jti' in command.target
        ? humanOfToken(command.target.vat_jti, batch)
        : undefined
    case 'revoke_all':
      return command.reason !== undefined && 'human_ref' in command.owner
        ? command.owner.human_ref
        : undefined
    default:
      return undefined
  }
}

/** Whether the answer to a command only repeats IDs, levels and reasons, which records and denials show readably. */
export function isOpenlyAnswered(command: SingleCommand): boolean {
  return (command.kind === 'record_action' || command.kind === 'authorize') && command.metadata === undefined
}

function humanOfToken(jti: string, batch: BatchState): string | undefined {
  return batch.chain(jti)?.[0].token.human_ref
}
