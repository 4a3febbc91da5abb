import type { Ledger } from './batch-state.ts'
import type { SingleCommand } from './command.ts'

/**
 * The person whose personal data a command gave or its answer repeats, or for whom it issued a token; undefined when it
 * concerns nobody in that way.
 */
export function personOf(command: SingleCommand, ledger: Ledger): string | undefined {
  switch (command.kind) {
    case 'issue':
    case 'delegate':
    case 'renew':
      return command.claims.svc_human_ref
    case 'record_action':
    case 'authorize':
      return command.metadata === undefined ? undefined : holderOf(command.vat_jti, ledger)
    case 'complete':
    case 'cancel':
      return ledger.record(command.aar_id)?.human_ref
    case 'rate':
      return command.note === undefined ? undefined : ledger.record(command.aar_id)?.human_ref
    case 'decide_approval':
      return ledger.approval(command.approval_id)?.human_ref
    case 'register':
      return command.owner
    case 'revoke':
      return command.reason === undefined ? undefined : holderOf(command.vat_jti, ledger)
    case 'revoke_all':
      return command.reason !== undefined && 'human_ref' in command.owner
        ? command.owner.human_ref
        : undefined
    default:
      return undefined
  }
}

function holderOf(jti: string, ledger: Ledger): string | undefined {
  return ledger.chain(jti)?.[0].token.human_ref
}
