import type { Command } from 'commander'
import { addCallCommand } from '../client/call-command.ts'
import { addTokenOptions, aroundToken } from '../client/token-options.ts'
import { tokenFacts } from './issue.ts'

/** `deputy delegate`: issues a token with a part of the parent's authority to a sub-agent. */
export function addDelegateCommand(program: Command): void {
  addTokenOptions(
    addCallCommand(program, {
      name: 'delegate',
      operation: 'delegate',
      say: tokenFacts,
      around: aroundToken,
    }),
  )
}
