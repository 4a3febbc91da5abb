import { AuthorityError } from '@deputy/protocol'
import type { Changes, WriteStore } from '../store/port.ts'
import type { Command, Replay, Reply } from './command.ts'
import { judge, needsOf } from './judge.ts'
import { type Ledger, openLedger } from './ledger.ts'

const REPLAY_KEPT_MS = 24 * 3600 * 1000

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
 * A command that hits a bug is taken out and the batch judged anew: what it half changed is never written.
 */
export async function runBatch(
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
      if (!(error instanceof PoisonedCommand)) throw error
      poisoned.add(error.position)
      reportBug(error.cause)
    }
  }
}

function hasChanges({ leaves, replays, checkpoints, probe }: Changes): boolean {
  return leaves.length > 0 || replays.length > 0 || checkpoints.length > 0 || probe
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
    if (known.fingerprint !== replay.fingerprint) return refusalOf(new AuthorityError('idempotency_mismatch'))
    return { outcome: JSON.parse(known.outcome), replayed: true }
  }
  const reply =
    command.kind === 'many'
      ? { outcome: command.items.map((item) => judged(item, ledger)) }
      : judged(command, ledger)
  if (replay !== undefined && 'outcome' in reply) remember(replay, reply.outcome, ledger)
  return reply
}

function judged(command: Exclude<Command, { kind: 'many' }>, ledger: Ledger): Reply {
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

function remember({ key, fingerprint }: Replay, outcome: unknown, ledger: Ledger): void {
  ledger.keepReplay({
    key,
    fingerprint,
    outcome: JSON.stringify(outcome),
    expires_at_ms: ledger.now_ms + REPLAY_KEPT_MS,
  })
}
