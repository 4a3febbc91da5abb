import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { addTokenOptions, aroundToken } from '../client/token-options.ts'
import { facts } from '../terminal/facts.ts'
import { agentName, moment } from '../terminal/words.ts'
import { scopeText } from './show/token-tree.ts'

/** `deputy issue`: issues a root token, which starts a new workflow. */
export function addIssueCommand(program: Command): void {
  addTokenOptions(
    addCallCommand(program, { name: 'issue', operation: 'issueL1', say: tokenFacts, around: aroundToken }),
  )
}

/** What a new token allows. The token itself is a secret, which only --json prints and --save-token saves. */
export function tokenFacts({ jti, provenance_ref, claims }: ResponseOf<'issueL1'>): string {
  const { svc_scope, svc_trust_score, exp, sub } = claims
  return facts([
    ['token', jti],
    ['workflow', provenance_ref],
    ['agent', agentName(sub)],
    ['scope', scopeText(svc_scope)],
    ['trust', svc_trust_score.toFixed(2)],
    ['expires', moment(new Date(exp * 1000).toISOString())],
  ])
}
