import type { Deputy } from '@deputize/sdk'
import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { NotConfirmed } from '../client/exit.ts'
import type { CommandInput } from '../client/schema-options.ts'
import { confirmsStop, isAttended, ownTerminal, type Terminal } from '../terminal/confirm-stop.ts'
import { agentName, count, dollars, moment } from '../terminal/words.ts'

type Preview = ResponseOf<'previewRevocation'>

/** `deputy revoke`: revokes a token, the one that it renews and every token below them, after showing what that stops. */
export function addRevokeCommand(program: Command): void {
  addCallCommand(program, {
    name: 'revoke',
    operation: 'revokeToken',
    args: ['vat_jti'],
    around: async (options, call, { client, input }) => {
      await assertWanted(options, String(input.vat_jti), client)
      return call({})
    },
    say: ({ jti, already_revoked, revoked_at, revoked_count }) =>
      already_revoked
        ? `${jti}\nwas already revoked at ${moment(revoked_at)}\n`
        : `${jti}\nrevoked; ${count(revoked_count, 'token')} affected\n`,
  }).option('--yes', 'do not ask on a terminal; scripts are never asked')
}

/** Asks on a terminal only: a script that stops an agent must not wait. */
export async function assertWanted(
  { yes, json }: CommandInput,
  vat_jti: string,
  client: Pick<Deputy, 'previewRevocation'>,
  terminal: Terminal = ownTerminal(),
): Promise<void> {
  if (json === true || !isAttended(terminal)) return
  // A failed preview must not keep anyone from stopping an agent.
  const preview = await client.previewRevocation({ vat_jti }).catch(() => undefined)
  const words =
    preview === undefined
      ? 'Stops the token, the one that it renews, and every token below them; cannot be undone.'
      : stopWords(preview)
  if (preview?.already_revoked === true || yes === true) {
    terminal.output.write(`${words}\n`)
    return
  }
  if (!(await confirmsStop(words, 'Stop', terminal))) throw new NotConfirmed()
}

/** "Stops 2 agents (planner, buyer), 1 open action, frees $4.00; cannot be undone." */
export function stopWords({
  already_revoked,
  live_tokens,
  agents,
  pending_records,
  reserved_usd,
}: Preview): string {
  if (already_revoked || live_tokens === 0) return 'Nothing is left to stop.'
  const names = agents.slice(0, 3).map(agentName).join(', ')
  const named = `${names}${agents.length > 3 ? ', …' : ''}`
  const parts = [
    `Stops ${count(agents.length, 'agent')} (${named}) with ${count(live_tokens, 'token')}`,
    ...(pending_records > 0 ? [`${count(pending_records, 'open action')}`] : []),
    ...(reserved_usd > 0 ? [`frees ${dollars(reserved_usd)}`] : []),
  ]
  return `${parts.join(', ')}; cannot be undone.`
}
