import { AuthorityError } from '@deputize/protocol'
import { DAY_MS } from '../domain/time.ts'
import { hasChanges, StoreError, type WriteStore } from '../store/port.ts'
import { type Ledger, openLedger } from './batch-state.ts'
import type { Command, Replay, Reply, SingleCommand } from './command.ts'
import { judge, needsOf } from './judge.ts'
import { personOf } from './person-of.ts'

const REPLAY_KEPT_MS = DAY_MS

export interface BatchResult {
  readonly replies: Reply[]
  /** Whether the disk was really written to: a batch of refusals says nothing about its health. */
  readonly wrote: boolean
}

/** Thrown out of a batch to name the command whose judging failed, so that the others can go on without it. */
class PoisonedCommand extends Error {
  override readonly name = 'PoisonedCommand'
  readonly position: number

  constructor(position: number, cause: unknown) {
    super('a command could not be judged', { cause })
    this.position = position
  }
}

/**
 * Judges the commands in order and makes all their changes durable in one commit. A reply exists only after that.
 * An erasure has a commit of its own, so that no neighbour still holds what it destroys.
 */
export async function runBatch(
  store: WriteStore,
  commands: readonly Command[],
  reportBug: (cause: unknown) => void,
): Promise<BatchResult> {
  const replies: Reply[] = []
  let wrote = false
  for (const part of apart(commands)) {
    const done = await runTogether(store, part, reportBug)
    replies.push(...done.replies)
    wrote ||= done.wrote
  }
  return { replies, wrote }
}

function apart(commands: readonly Command[]): Command[][] {
  const parts: Command[][] = []
  let last: Command | undefined
  for (const command of commands) {
    if (last === undefined || last.kind === 'erase_human' || command.kind === 'erase_human') parts.push([])
    parts.at(-1)?.push(command)
    last = command
  }
  return parts
}

/** A command that hits a bug is taken out and the others judged anew: what it half changed is never written. */
async function runTogether(
  store: WriteStore,
  commands: readonly Command[],
  reportBug: (cause: unknown) => void,
): Promise<BatchResult> {
  const poisoned = new Set<number>()
  for (;;) {
    try {
      return await store.transact(needsOf(commands), (facts) => {
        const ledger = openLedger(facts)
        const replies = commands.map((command, position) =>
          poisoned.has(position) ? { bug: 'not judged' } : settle(command, position, ledger),
        )
        return { changes: ledger.changes, result: { replies, wrote: hasChanges(ledger.changes) } }
      })
    } catch (error) {
      if (isHalfDone(error)) return { replies: commands.map(() => refusalOf(halfDone())), wrote: true }
      if (!(error instanceof PoisonedCommand)) throw error
      poisoned.add(error.position)
      reportBug(error.cause)
    }
  }
}

function isHalfDone(error: unknown): boolean {
  return error instanceof StoreError && error.outcome === 'committed'
}

function halfDone(): AuthorityError {
  return new AuthorityError(
    'storage_unavailable',
    'The erasure is committed, but copies of the destroyed key may still lie in the files of the store. Repeat the same request until it is answered with 200.',
  )
}

function settle(command: Command, position: number, ledger: Ledger): Reply {
  try {
    return replied(command, ledger)
  } catch (error) {
    throw new PoisonedCommand(position, error)
  }
}

/** Answers a repeated request as before, or judges a new one and remembers the answer. */
function replied(command: Command, ledger: Ledger): Reply {
  const { replay } = command
  const known = replay === undefined ? undefined : ledger.replay(replay.key)
  if (replay !== undefined && known !== undefined) {
    if (known.fingerprint !== fingerprintOf(replay, ledger))
      return refusalOf(new AuthorityError('idempotency_mismatch'))
    const outcomes = known.outcomes.map((outcome) => JSON.parse(outcome))
    return { outcome: command.kind === 'many' ? outcomes : outcomes[0], replayed: true }
  }
  if (command.kind === 'many') {
    const outcome = command.items.map((item) => judged(item, ledger))
    if (replay !== undefined) remember(replay, command.items, outcome, ledger)
    return { outcome }
  }
  const reply = judged(command, ledger)
  if (replay !== undefined && 'outcome' in reply) remember(replay, [command], [reply.outcome], ledger)
  return reply
}

function judged(command: SingleCommand, ledger: Ledger): Reply {
  try {
    return { outcome: judge(command, ledger) }
  } catch (error) {
    if (error instanceof AuthorityError) return refusalOf(error)
    throw error
  }
}

function refusalOf({ code, message, members }: AuthorityError): Reply {
  return { refusal: { code, detail: message, members } }
}

/** Keeps what each command was answered, each answer for the person that it tells of. */
function remember(
  replay: Replay,
  commands: readonly SingleCommand[],
  outcomes: readonly unknown[],
  ledger: Ledger,
): void {
  ledger.keepReplay({
    key: replay.key,
    fingerprint: fingerprintOf(replay, ledger),
    parts: commands.map((command, index) => ({
      human_ref: personOf(command, ledger),
      outcome: JSON.stringify(outcomes[index]),
    })),
    expires_at_ms: ledger.now_ms + REPLAY_KEPT_MS,
  })
}

function fingerprintOf({ fingerprint }: Replay, ledger: Ledger): string {
  return ledger.digest(undefined, 'request', fingerprint)
}
