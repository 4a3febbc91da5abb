import type { RevocationEntry } from '@deputize/protocol'
import { harmless, type Screen } from '../../terminal/screen.ts'
import { agentName, dollars, shortRef } from '../../terminal/words.ts'
import type { TailEvent } from './follower.ts'

/** One event: time, kind, agent and action, and on the next line the ID for `deputy show`. */
export function eventLine({ kind, entry }: TailEvent, screen: Screen): string {
  switch (kind) {
    case 'record': {
      const word = entry.state === 'completed' ? (entry.result ?? entry.state) : entry.state
      const spend = entry.spend_usd > 0 ? ` ${dollars(entry.spend_usd)}` : ''
      const what = `${agentName(entry.agent_id)} ${entry.action} ${entry.resource}${spend}`
      return eventLines(entry.created_at, screen.paint('green', aligned(harmless(word))), what, entry.aar_id)
    }
    case 'denial': {
      const what = `${agentName(entry.agent_id)} ${entry.action} ${entry.resource}: ${entry.reasons.join(', ')}`
      return eventLines(entry.created_at, screen.paint('red', aligned('denied')), what, entry.denial_id)
    }
    case 'revocation':
      return eventLines(entry.at, screen.paint('yellow', aligned(entry.kind)), revokedSubject(entry))
  }
}

/** As wide as the usual results, so that the columns line up. */
function aligned(word: string): string {
  return word.padEnd('success'.length)
}

function eventLines(at: string, word: string, what: string, id?: string): string {
  const time = at.slice(11, 19)
  return `${time}  ${word}  ${harmless(what)}${id === undefined ? '' : `\n          ${id}`}`
}

function revokedSubject({ token, agent_id, human_ref }: RevocationEntry): string {
  if (token !== undefined) return `token ${shortRef(token)} and all tokens below it`
  if (agent_id !== undefined) return `agent ${agentName(agent_id)}`
  return `person ${shortRef(human_ref ?? '')}`
}
