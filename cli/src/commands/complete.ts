import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { recordFacts } from './record-facts.ts'

/** `deputy complete`: records the result of an authorized action. */
export function addCompleteCommand(program: Command): void {
  addCallCommand(program, {
    name: 'complete',
    operation: 'completeRecord',
    args: ['id', 'result'],
    say: recordFacts,
  })
}
