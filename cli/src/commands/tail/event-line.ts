import type { DeputyEvent } from '@deputize/sdk'
import { OUTCOME_STYLES, type OutcomeKind, outcomeOf } from '../../terminal/outcome-style.ts'
import { harmless, type Screen } from '../../terminal/screen.ts'
import { agentName, dollars, shortRef } from '../../terminal/words.ts'

/** The parts of a line: a colored word, what happened, and the ID for `deputy show`. */
interface EventWords {
  readonly word: string
  readonly kind: OutcomeKind
  readonly what: string
  readonly id?: string | undefined
}

/** As wide as the longest usual word, so that the columns line up. */
const WORD_WIDTH = 'delegated'.length

/** One event: time, word, agent and action, and on the next line its ID. */
export function eventLine(event: DeputyEvent, screen: Screen): string {
  const { word, kind, what, id } = eventWords(event)
  const time = event.occurred_at.slice(11, 19)
  const painted = screen.paint(OUTCOME_STYLES[kind], harmless(word).padEnd(WORD_WIDTH))
  return `${time}  ${painted}  ${harmless(what)}${id === undefined ? '' : `\n          ${id}`}`
}

function eventWords(event: DeputyEvent): EventWords {
  const { type, data } = event
  switch (type) {
    case 'token.issued':
    case 'token.delegated':
    case 'token.renewed':
      return {
        word: lastWord(type),
        kind: 'plain',
        what: `token for ${agentName(data.agent_id)}: ${data.scope.actions.join(', ')} on ${data.scope.resources.join(', ')}`,
        id: data.vat_jti,
      }
    case 'token.revoked':
      return {
        word: 'revoked',
        kind: 'no',
        what: `${tokenOf(data)} and all tokens below it`,
        id: data.vat_jti,
      }
    case 'token.suspended':
      return {
        word: 'suspended',
        kind: 'no',
        what: `${tokenOf(data)}, by ${data.suspend_code ?? data.suspended_by}`,
        id: data.vat_jti,
      }
    case 'token.resumed':
      return {
        word: 'resumed',
        kind: 'done',
        what: `${tokenOf(data)}, by ${data.resumed_by}`,
        id: data.vat_jti,
      }
    case 'action.authorized':
      return { word: 'pending', kind: 'wait', what: actionOf(data), id: data.aar_id }
    case 'action.completed':
      return {
        word: data.result,
        kind: data.exceeded === true ? 'no' : outcomeOf('completed', data.result),
        what: `${actionOf(data)}${data.exceeded === true ? ': more than authorized' : ''}`,
        id: data.aar_id,
      }
    case 'action.denied':
      return {
        word: 'denied',
        kind: 'no',
        what: `${actionOf(data)}: ${data.reasons.join(', ')}`,
        id: data.denial_id,
      }
    case 'action.cancelled':
    case 'action.expired':
      return { word: lastWord(type), kind: 'plain', what: actionOf(data), id: data.aar_id }
    case 'action.rated':
      return {
        word: data.rating,
        kind: RATED[data.rating],
        what: `rating of ${actionOf(data)}`,
        id: data.aar_id,
      }
    case 'approval.requested':
      return {
        word: 'asks',
        kind: 'ask',
        what: `${actionOf(data)}, until ${data.expires_at.slice(11, 19)}`,
        id: data.approval_id,
      }
    case 'approval.endorsed':
      return {
        word: 'endorsed',
        kind: 'ask',
        what: `${actionOf(data)}, by ${whoOf(data.by)}`,
        id: data.approval_id,
      }
    case 'approval.decided':
      return {
        word: data.decision,
        kind: data.decision === 'approved' ? 'done' : 'no',
        what: `${actionOf(data)}, by ${whoOf(data.decided_by)}`,
        id: data.approval_id,
      }
    case 'approval.grant_ended':
    case 'approval.habit_ended':
      return {
        word: 'ended',
        kind: 'plain',
        what: `${type === 'approval.grant_ended' ? 'grant' : 'habit'} for ${actionOf(data)}`,
      }
    case 'budget.threshold':
      return {
        word: `${data.percent} %`,
        kind: 'wait',
        what: `of the budget of ${tokenOf(data)} is used`,
        id: data.vat_jti,
      }
    case 'budget.exhausted':
      return {
        word: '100 %',
        kind: 'no',
        what: `of the budget of ${tokenOf(data)} is used`,
        id: data.vat_jti,
      }
    case 'agent.suspended':
      return {
        word: 'suspended',
        kind: 'no',
        what: `agent ${agentName(data.agent_id)}, by ${data.suspended_by}`,
      }
    case 'agent.revoked':
      return { word: 'revoked', kind: 'no', what: `all tokens of agent ${agentName(data.agent_id)}` }
    case 'human.revoked':
      return { word: 'revoked', kind: 'no', what: `all tokens of person ${shortRef(data.human_ref)}` }
    case 'vouch.created':
    case 'vouch.changed':
    case 'vouch.withdrawn':
      return {
        word: lastWord(type),
        kind: 'plain',
        what: `vouch of ${shortRef(data.from)} for ${subjectOf(data.to)}`,
        id: data.vouch_id,
      }
    default:
      return otherWords(event)
  }
}

const RATED = { approved: 'done', flagged: 'wait', rejected: 'no' } as const satisfies Record<
  string,
  OutcomeKind
>

/** Describes events of all other types, including those that only a newer service sends. */
function otherWords({ type, data }: DeputyEvent): EventWords {
  const [subject = ''] = type.split('.')
  const named: Readonly<Record<string, unknown>> = { ...data }
  const about = [
    typeof named.agent_id === 'string' ? agentName(named.agent_id) : undefined,
    typeof named.human_ref === 'string' ? `person ${shortRef(named.human_ref)}` : undefined,
    ...['kind', 'mode', 'kid'].map((name) => (typeof named[name] === 'string' ? named[name] : undefined)),
  ].filter((word) => word !== undefined)
  return { word: lastWord(type), kind: 'plain', what: [subject, ...about].join(' ') }
}

function lastWord(type: string): string {
  return type.slice(type.indexOf('.') + 1).replaceAll('_', ' ')
}

interface NamedAction {
  readonly agent_id: string
  readonly action: string
  readonly resource: string
  readonly spend_usd?: number
}

function actionOf({ agent_id, action, resource, spend_usd = 0 }: NamedAction): string {
  return `${agentName(agent_id)} ${action} ${resource}${spend_usd > 0 ? ` ${dollars(spend_usd)}` : ''}`
}

function tokenOf({ agent_id, human_ref }: { readonly agent_id: string; readonly human_ref: string }): string {
  return `token of ${agentName(agent_id)} for ${shortRef(human_ref)}`
}

function whoOf(by: string): string {
  return by.startsWith('sha256:') ? `person ${shortRef(by)}` : by.replaceAll('_', ' ')
}

function subjectOf(to: string): string {
  return to.startsWith('agent:') ? agentName(to) : shortRef(to)
}
