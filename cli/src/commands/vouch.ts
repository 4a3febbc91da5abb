import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { facts } from '../terminal/facts.ts'
import { moment } from '../terminal/words.ts'

/** `deputy vouch`: has a person vouch for a person or an agent. */
export function addVouchCommand(program: Command): void {
  addCallCommand(program, { name: 'vouch', operation: 'vouch', args: ['to'], say: vouchFacts })
}

export function vouchFacts(vouch: ResponseOf<'vouch'>): string {
  const { expires_at, ended_at } = vouch
  return facts([
    ['vouch', vouch.vouch_id],
    ['from', vouch.from],
    ['for', vouch.to],
    ['weight', String(vouch.weight)],
    ['context', vouch.context],
    ['note', vouch.note],
    ['state', vouch.standing ? 'counts' : 'does not count'],
    ['made', moment(vouch.made_at)],
    ['until', expires_at === undefined ? undefined : moment(expires_at)],
    ['ended', ended_at === undefined ? undefined : moment(ended_at)],
  ])
}
