import { adviceOn, reasonsWithDetails } from '@deputize/protocol'
import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { EXIT } from '../exit-codes.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { moment } from '../terminal/words.ts'

/** `deputy authorize`: asks whether an action is allowed. Exits with 1 if it is denied. */
export function addAuthorizeCommand(program: Command): void {
  addCallCommand(program, {
    name: 'authorize',
    operation: 'authorize',
    args: ['action', 'resource'],
    say: decisionWords,
    exit: ({ authorized }) => (authorized ? EXIT.done : EXIT.denied),
  })
}

function decisionWords(answer: ResponseOf<'authorize'>, { paint }: Screen): string {
  const {
    authorized,
    dry_run,
    reasons = [],
    aar_id,
    denial_id,
    approval_id,
    provenance_ref,
    expires_at,
  } = answer
  const word = authorized ? paint('green', 'allowed') : paint('red', 'denied')
  const lines = facts([
    ['reasons', authorized ? undefined : reasonsWithDetails(reasons, answer.details)],
    ['record', aar_id],
    ['denial', denial_id],
    ['approval', approval_id],
    ['workflow', provenance_ref],
    ['complete by', expires_at === undefined ? undefined : moment(expires_at)],
  ])
  const advice = reasons.map(adviceOn).filter((line) => line !== '')
  if (approval_id !== undefined) advice.push('Then repeat the command with --approval-id.')
  return [
    `${word}${dry_run === true ? ' (dry run, nothing recorded)' : ''}`,
    lines.trimEnd(),
    ...advice,
    '',
  ].join('\n')
}
