import type { RevocationEntry } from '@deputize/protocol'
import { harmless, type Screen } from '../../terminal/screen.ts'
import { agentName, dollars, shortRef } from '../../terminal/words.ts'
import type { Event } from './follower.ts'

/** One thing that happened: when, what, who, and below it the id by which it can be shown. */
export function eventLine({ kind, entry }: Event, screen: Screen): string {
  switch (kind) {
    case 'record': {
      const word = entry.state === 'completed' ? (entry.result ?? entry.state) : entry.state
      const spend = entry.spend_usd > 0 ? ` ${dollars(entry.spend_usd)}` : ''
      const what = `${agentName(entry.agent_id)} ${entry.action} ${entry.resource}${spend}`
      return lines(entry.created_at, screen.paint('green', padded(harmless(word))), what, entry.aar_id)
    }
    case 'denial': {
      const what = `${agentName(entry.agent_id)} ${entry.action} ${entry.resource}: ${entry.reasons.join(', ')}`
      return lines(entry.created_at, screen.paint('red', padded('denied')), what, entry.denial_id)
    }
    case 'revocation':
      return lines(entry.at, screen.paint('yellow', padded(entry.kind)), subjectOf(entry))
  }
}

/** As wide as the usual words, so that what follows them stands below each other. */
function padded(word: string): string {
  return word.padEnd('success'.length)
}

function lines(at: string, word: string, what: string, id?: string): string {
  const time = at.slice(11, 19)
  return `${time}  ${word}  ${harmless(what)}${id === undefined ? '' : `\n          ${id}`}`
}

function subjectOf({ token, agent_id, human_ref }: RevocationEntry): string {
  if (token !== undefined) return `token ${shortRef(token)} and everything below it`
  if (agent_id !== undefined) return `agent ${agentName(agent_id)}`
  return `human ${shortRef(human_ref ?? '')}`
}
