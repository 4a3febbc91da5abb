import type { Command, Reply } from './command.ts'
import { type IssueOutcome, issueOutcome } from './judges/issue.ts'
import type { BatchResult } from './run-batch.ts'

/**
 * How batches and their results cross between threads: as JSON text, which is faster than structured cloning for small
 * plain objects. A new token crosses at most once: the main thread has it, so the answer only says that it was issued.
 * Its signed text crosses only if the answer is stored for a repeated request.
 */

/** A reply, or a mark that the token was issued as sent. */
type CrossingReply = Reply | { readonly issued: true }

export function crossingCommands(commands: readonly Command[]): string {
  return JSON.stringify(commands.map((command) => (hasText(command) ? command : withoutText(command))))
}

export function readCrossedCommands(text: string): readonly Command[] {
  return JSON.parse(text) // only `crossingCommands` writes it
}

export function crossingResult(commands: readonly Command[], { replies, wrote }: BatchResult): string {
  const crossing = replies.map((reply, index) =>
    isIssued(commands[index], reply) ? { issued: true } : reply,
  )
  return JSON.stringify({ replies: crossing, wrote })
}

/** `commands` are the ones before the crossing. */
export function readCrossedResult(text: string, commands: readonly Command[]): BatchResult {
  const { replies, wrote } = JSON.parse(text) as { replies: CrossingReply[]; wrote: boolean } // as `crossingResult` wrote it
  return { replies: replies.map((reply, index) => wholeReply(reply, commands[index])), wrote }
}

type TokenCommand = Extract<Command, { readonly compact_jwt: string }>

function isToken(command: Command | undefined): command is TokenCommand {
  return command !== undefined && 'compact_jwt' in command
}

function hasText(command: Command): boolean {
  return !isToken(command) || command.replay !== undefined
}

function withoutText(command: Command): Command {
  return isToken(command) ? { ...command, compact_jwt: '' } : command
}

function isIssued(command: Command | undefined, reply: Reply): boolean {
  return isToken(command) && 'outcome' in reply && reply.replayed !== true
}

function wholeReply(reply: CrossingReply, command: Command | undefined): Reply {
  if (!('issued' in reply)) return reply
  if (!isToken(command)) throw new Error('the thread issued a token that nobody sent')
  return { outcome: issueOutcome(command) satisfies IssueOutcome }
}
