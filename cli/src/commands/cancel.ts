import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { recordFacts } from './record-facts.ts'

/** `deputy cancel`: gives an authorized action up. */
export function addCancelCommand(program: Command): void {
  addCallCommand(program, { name: 'cancel', operation: 'cancelRecord', args: ['id'], say: recordFacts })
}
