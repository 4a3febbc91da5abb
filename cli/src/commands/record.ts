import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { facts } from '../terminal/facts.ts'

/** `deputy record`: authorizes and records an action in one call. Exits with 1 if the action is denied. */
export function addRecordCommand(program: Command): void {
  addCallCommand(program, {
    name: 'record',
    operation: 'recordAction',
    args: ['action', 'resource', 'result'],
    say: ({ aar_id, provenance_ref, trust_score }, { paint }) =>
      `${paint('green', 'recorded')}\n${facts([
        ['record', aar_id],
        ['workflow', provenance_ref],
        ['trust', trust_score.toFixed(2)],
      ])}`,
  })
}
