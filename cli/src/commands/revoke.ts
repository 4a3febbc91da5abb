import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { count, moment } from '../terminal/words.ts'

/** `deputy revoke`: silences a token and everything below it. */
export function addRevokeCommand(program: Command): void {
  addCallCommand(program, {
    name: 'revoke',
    operation: 'revokeToken',
    args: ['vat_jti'],
    say: ({ jti, already_revoked, revoked_at, revoked_count }) =>
      already_revoked
        ? `${jti}\nwas revoked before, ${moment(revoked_at)}\n`
        : `${jti}\nis revoked; ${count(revoked_count, 'token')} silenced\n`,
  })
}
