import type { Command } from 'commander'
import { type Answer, addCallCommand } from '../client/call-command.ts'
import { addTokenOptions, aroundToken } from '../client/token-options.ts'
import { facts } from '../terminal/facts.ts'
import { agentName, moment } from '../terminal/words.ts'

/** `deputy issue`: a root token, and with it a new workflow. */
export function addIssueCommand(program: Command): void {
  addTokenOptions(
    addCallCommand(program, { name: 'issue', operation: 'issueL1', say: tokenFacts, around: aroundToken }),
  )
}

/** What a new token allows. The token itself is a secret, and only --json or --save-token give it out. */
export function tokenFacts({ jti, provenance_ref, claims }: Answer<'issueL1'>): string {
  const { svc_scope, svc_trust_score, exp, sub } = claims
  return facts([
    ['token', jti],
    ['workflow', provenance_ref],
    ['agent', agentName(sub)],
    ['may', `${svc_scope.actions.join(', ')} on ${svc_scope.resources.join(', ')}`],
    ['trust', svc_trust_score.toFixed(2)],
    ['until', moment(new Date(exp * 1000).toISOString())],
  ])
}
