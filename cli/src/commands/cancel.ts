import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { recordFacts } from './record-facts.ts'

/** `deputy cancel`: cancels an authorized action that was not started. */
export function addCancelCommand(program: Command): void {
  addCallCommand(program, { name: 'cancel', operation: 'cancelRecord', args: ['id'], say: recordFacts })
}
