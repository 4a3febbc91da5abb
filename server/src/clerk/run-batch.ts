import { AuthorityError, type Lane } from '@deputize/protocol'
import { DAY_MS } from '../domain/times/time.ts'
import { hasChanges } from '../store/port/changes.ts'
import { StoreError } from '../store/port/store-error.ts'
import type { Facts, StoredReplay, WriteStore } from '../store/port/write-store.ts'
import { BatchState } from './batch-state.ts'
import type { Command, Replay, Reply, SingleCommand } from './command.ts'
import { dataSubjectOf, isOpenlyAnswered } from './data-subject.ts'
import { judge, needsOf, replayKeys } from './judge.ts'
import { type AuthorizationOutcome, repeatedAuthorization } from './judges/authorization.ts'

const REPLAY_KEPT_MS = DAY_MS

export interface BatchResult {
  readonly replies: Reply[]
  /** Whether the disk was written to. A batch of refusals proves nothing about the store's health. */
  readonly wrote: boolean
  /** Another node wrote it, which proves nothing about this node's way to the store. */
  readonly is_forwarded?: true
}

interface BatchRun {
  readonly store: WriteStore
  readonly lane: Lane | undefined
  readonly reportBug: (cause: unknown) => void
}

/** Names the command that hit a bug, so that the batch can be judged again without it. */
class PoisonedCommand extends Error {
  override readonly name = 'PoisonedCommand'
  readonly position: number

  constructor(position: number, cause: unknown) {
    super('a command could not be judged', { cause })
    this.position = position
  }
}

/**
 * Judges the commands in order and makes all their changes durable in one commit. An erasure has its own commit, so
 * that no other command of the batch still holds the data that it destroys.
 *
 * Replies exist only after the last commit. A crash before a commit leaves nothing of its commands. A crash after it
 * leaves their changes without a reply; a caller who repeats the request with its idempotency key gets the stored one.
 */
export async function runBatch(
  store: WriteStore,
  commands: readonly Command[],
  reportBug: (cause: unknown) => void,
  lane?: Lane,
): Promise<BatchResult> {
  const replies: Reply[] = []
  let wrote = false
  for (const part of splitAtErasures(commands)) {
    const done = await runPart({ store, reportBug, lane }, part)
    replies.push(...done.replies)
    wrote ||= done.wrote
  }
  return { replies, wrote }
}

function splitAtErasures(commands: readonly Command[]): Command[][] {
  const parts: Command[][] = []
  let last: Command | undefined
  for (const command of commands) {
    if (last === undefined || last.kind === 'erase_human' || command.kind === 'erase_human') parts.push([])
    parts.at(-1)?.push(command)
    last = command
  }
  return parts
}

/**
 * Removes a command that hits a bug and judges the others again, so that its partial changes are never written. If rows
 * of the commands can't be loaded or written, each half is tried by itself, until the command that causes it is
 * isolated.
 */
async function runPart(run: BatchRun, commands: readonly Command[]): Promise<BatchResult> {
  const { store, lane, reportBug } = run
  const poisoned = new Set<number>()
  for (;;) {
    try {
      const judgeAll = (facts: Facts) => {
        const batch = new BatchState(facts)
        const replies = commands.map((command, position) =>
          poisoned.has(position) ? { bug: 'not judged' } : judgeAt(command, position, batch),
        )
        return { changes: batch.changes, result: { replies, wrote: hasChanges(batch.changes) } }
      }
      return await store.transact(needsOf(commands), judgeAll, lane)
    } catch (error) {
      if (isUnscrubbed(error)) return { replies: commands.map(() => refusalReply(unscrubbed())), wrote: true }
      if (isUnavailable(error)) throw error
      if (!(error instanceof PoisonedCommand)) return runHalves(run, commands, error)
      poisoned.add(error.position)
      reportBug(error.cause)
    }
  }
}

/** A crash between the halves leaves the first one durable and unanswered, as a crash after any commit does. */
async function runHalves(run: BatchRun, commands: readonly Command[], cause: unknown): Promise<BatchResult> {
  if (commands.length === 1) {
    run.reportBug(cause)
    return { replies: [{ bug: 'not stored' }], wrote: false }
  }
  const middle = Math.ceil(commands.length / 2)
  const first = await runPart(run, commands.slice(0, middle))
  const second = await runPart(run, commands.slice(middle))
  return { replies: [...first.replies, ...second.replies], wrote: first.wrote || second.wrote }
}

/** Whether the store failed for a reason that no command of the batch caused. */
function isUnavailable(error: unknown): boolean {
  return error instanceof StoreError && error.outcome !== 'rows_refused'
}

function isUnscrubbed(error: unknown): boolean {
  return error instanceof StoreError && error.outcome === 'committed'
}

function unscrubbed(): AuthorityError {
  return new AuthorityError(
    'storage_unavailable',
    'The erasure is committed, but copies of the destroyed key may remain in the store files. Repeat the request until it returns 200.',
  )
}

function judgeAt(command: Command, position: number, batch: BatchState): Reply {
  try {
    return replyTo(command, batch)
  } catch (error) {
    throw new PoisonedCommand(position, error)
  }
}

/** Repeats the stored answer of a repeated request, or judges a new one and stores its answer. */
function replyTo(command: Command, batch: BatchState): Reply {
  const { replay } = command
  const known = storedReplay(command, batch)
  if (replay !== undefined && known !== undefined) {
    if (known.fingerprint !== fingerprintOf(replay, batch))
      return refusalReply(new AuthorityError('idempotency_mismatch'))
    return { outcome: repeatedOutcome(command, known, batch), replayed: true }
  }
  if (command.kind === 'many') {
    const outcome = command.items.map((item) => judgeOne(item, batch))
    if (replay !== undefined) saveReplay(replay, command.items, outcome, batch)
    return { outcome }
  }
  const reply = judgeOne(command, batch)
  if (replay !== undefined && 'outcome' in reply) saveReplay(replay, [command], [reply.outcome], batch)
  return reply
}

function storedReplay(command: Command, batch: BatchState): StoredReplay | undefined {
  for (const key of replayKeys(command)) {
    const known = batch.replay(key)
    if (known !== undefined) return known
  }
  return undefined
}

function repeatedOutcome(command: Command, { outcomes }: StoredReplay, batch: BatchState): unknown {
  const stored = outcomes.map((outcome) => JSON.parse(outcome))
  if (command.kind !== 'many') return currentOutcome(command, stored[0], batch)
  // The stored answer to a command with several items holds one reply for each.
  const replies = stored as Reply[]
  return command.items.map((item, index) => {
    const reply = replies[index] ?? { bug: 'not stored' }
    return 'outcome' in reply ? { outcome: currentOutcome(item, reply.outcome, batch) } : reply
  })
}

/** A stored permission is compared with the current state of its token. Every other stored answer is a fact. */
function currentOutcome(command: SingleCommand, stored: unknown, batch: BatchState): unknown {
  if (command.kind !== 'authorize') return stored
  return repeatedAuthorization(command, stored as AuthorizationOutcome, batch) // the judge of this command made it
}

function judgeOne(command: SingleCommand, batch: BatchState): Reply {
  try {
    return { outcome: judge(command, batch) }
  } catch (error) {
    if (error instanceof AuthorityError) return refusalReply(error)
    throw error
  }
}

function refusalReply({ code, message, members }: AuthorityError): Reply {
  return { refusal: { code, detail: message, members } }
}

/** Stores the answer to each command, sealed for the person whose data it contains. */
function saveReplay(
  replay: Replay,
  commands: readonly SingleCommand[],
  outcomes: readonly unknown[],
  batch: BatchState,
): void {
  batch.addReplay({
    key: replay.key,
    ordered_key: replay.ordered_key,
    fingerprint: fingerprintOf(replay, batch),
    parts: commands.map((command, index) => ({
      human_ref: dataSubjectOf(command, batch),
      outcome: JSON.stringify(outcomes[index]),
      is_open: isOpenlyAnswered(command),
    })),
    expires_at_ms: batch.now_ms + REPLAY_KEPT_MS,
  })
}

function fingerprintOf({ fingerprint }: Replay, batch: BatchState): string {
  return batch.digest(undefined, 'request', fingerprint)
}
