import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { count, moment } from '../terminal/words.ts'

/** `deputy revoke`: revokes a token and every token below it. */
export function addRevokeCommand(program: Command): void {
  addCallCommand(program, {
    name: 'revoke',
    operation: 'revokeToken',
    args: ['vat_jti'],
    say: ({ jti, already_revoked, revoked_at, revoked_count }) =>
      already_revoked
        ? `${jti}\nwas already revoked at ${moment(revoked_at)}\n`
        : `${jti}\nrevoked; ${count(revoked_count, 'token')} affected\n`,
  })
}
