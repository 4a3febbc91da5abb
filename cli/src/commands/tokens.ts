import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { addSaveTokenOption, aroundToken } from '../client/token-options.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { agentName, count, dollars, duration, moment } from '../terminal/words.ts'
import { tokenFacts } from './issue.ts'
import { pageTable } from './page.ts'
import { scopeText } from './show/token-tree.ts'

type TokenEntry = ResponseOf<'getToken'>

/** `deputy tokens`: lists, shows, renews, suspends and resumes tokens. */
export function addTokensCommand(program: Command): void {
  const tokens = callingCommand(program, 'tokens', 'list, show, renew, suspend and resume tokens')
  addCallCommand(tokens, { name: 'list', operation: 'listTokens', say: tokenTable, isDefault: true })
  addCallCommand(tokens, { name: 'show', operation: 'getToken', args: ['jti'], say: storedTokenFacts })
  addSaveTokenOption(
    addCallCommand(tokens, {
      name: 'renew',
      operation: 'renewToken',
      args: ['vat_jti'],
      say: tokenFacts,
      around: aroundToken,
    }),
  )
  addCallCommand(tokens, { name: 'suspend', operation: 'suspendToken', args: ['jti'], say: suspensionWords })
  addCallCommand(tokens, { name: 'resume', operation: 'resumeToken', args: ['jti'], say: suspensionWords })
}

function tokenTable(answer: ResponseOf<'listTokens'>, screen: Screen): string {
  return pageTable(answer, 'tokens', screen, [
    { title: 'token', cell: ({ jti }) => jti, whole: true },
    { title: 'agent', cell: ({ agent_id }) => agentName(agent_id) },
    { title: 'status', cell: ({ status }) => status.replaceAll('_', ' '), whole: true },
    { title: 'ends in', cell: timeLeft, whole: true },
  ])
}

/** Nothing for a token that has ended. */
function timeLeft({ status, expires_at }: TokenEntry): string {
  const has_ended = status === 'expired' || status === 'revoked'
  return has_ended ? '' : duration(Date.parse(expires_at) - Date.now())
}

function storedTokenFacts(token: TokenEntry): string {
  const { budget, revoked_at, suspended_at } = token
  return facts([
    ['token', token.jti],
    ['workflow', token.provenance_ref],
    ['parent', token.parent_jti],
    ['renews', token.renews_jti],
    ['agent', agentName(token.agent_id)],
    ['person', token.human_ref],
    ['status', token.status.replaceAll('_', ' ')],
    ['scope', scopeText(token.claims.svc_scope)],
    ['purpose', token.purpose],
    ['actions', count(token.total_actions, 'action')],
    ['budget', budget === undefined ? undefined : budgetText(budget)],
    ['issued', moment(token.issued_at)],
    ['expires', moment(token.expires_at)],
    [
      'suspended',
      suspended_at === undefined ? undefined : `${moment(suspended_at)} by ${token.suspended_by}`,
    ],
    ['revoked', revoked_at === undefined ? undefined : moment(revoked_at)],
    ['reason', token.revoke_reason ?? token.suspend_reason],
  ])
}

function budgetText({ allocated_usd, remaining_usd }: NonNullable<TokenEntry['budget']>): string {
  return `${dollars(remaining_usd)} of ${dollars(allocated_usd)} left`
}

function suspensionWords({ jti, suspended, changed }: ResponseOf<'suspendToken'>): string {
  return `${jti}\n${suspended ? 'suspended' : 'not suspended'}${changed ? '' : ', as before'}\n`
}
