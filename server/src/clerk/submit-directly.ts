import { AuthorityError, type Lane } from '@deputize/protocol'
import type { WriteStore } from '../store/port/write-store.ts'
import type { CommandResult } from './clerk.ts'
import type { Command } from './command.ts'
import { runBatch } from './run-batch.ts'

/** Submits one command at a time to a store that no service has open, like the service's clerk. */
export function submitDirectly(writer: WriteStore) {
  return async (command: Command, lane?: Lane): Promise<CommandResult> => {
    const bugs: unknown[] = []
    const { replies } = await runBatch(writer, [command], (cause) => bugs.push(cause), lane)
    const [reply] = replies
    if (reply === undefined || 'bug' in reply) throw bugs[0] ?? new Error('the command could not be judged')
    if ('refusal' in reply) throw new AuthorityError(reply.refusal.code, reply.refusal.detail)
    return { outcome: reply.outcome, replayed: false }
  }
}
