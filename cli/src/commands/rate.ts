import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { moment } from '../terminal/words.ts'

/** `deputy rate`: rates an action, once. */
export function addRateCommand(program: Command): void {
  addCallCommand(program, {
    name: 'rate',
    operation: 'rateRecord',
    args: ['id', 'rating'],
    say: ({ aar_id, rating, feedback_at }) => `${aar_id}\nrated ${rating} at ${moment(feedback_at)}\n`,
  })
}
