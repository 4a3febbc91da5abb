/** Deletes personal data that has reached the end of its retention. Each removal is a leaf. */
import type { RegisterCommand } from '../../../clerk/command.ts'
import { DAY_MS } from '../../../domain/times/time.ts'
import type { PageRequest } from '../../../store/port/pages.ts'
import type { KeptEntry } from '../../../store/port/registry.ts'
import { checkIn } from '../../external/check-entries.ts'
import { redactionCommand } from '../../external/redactions.ts'
import type { BiometricDocument } from '../../identity/biometric-entries.ts'
import { firstIndexAfter } from '../../lists/first-index-after.ts'
import { eachEntry } from '../../lists/pages.ts'
import type { OperationContext } from '../../operation-context.ts'
import { ALERT_TRIED_MS } from '../duress/safety-outbox.ts'

const MOST_AT_ONCE = 500

type Deleting = Pick<OperationContext, 'reader' | 'clerk' | 'clock' | 'verification'>

/** Deletes what has expired. Returns how many entries were deleted. */
export async function deleteExpired(context: Deleting): Promise<number> {
  return (
    (await deleteExpiredTemplates(context)) +
    (await deleteExpiredVerifications(context)) +
    (await deleteExpiredChecks(context))
  )
}

/**
 * Deletes expired templates. Each contains its end. One that its person renews meanwhile is kept, because the removal
 * names a version.
 */
async function deleteExpiredTemplates(context: Deleting): Promise<number> {
  const { reader, clock } = context
  const now_ms = clock()
  const expired: RegisterCommand[] = []
  for await (const entry of eachEntry((page) => reader.registry.list('biometric', {}, page))) {
    const { retention_until } = JSON.parse(entry.document) as BiometricDocument // only `biometric-entries` writes such entries
    if (Date.parse(retention_until) <= now_ms) expired.push(removalOf(entry))
  }
  return removeAll(expired, context)
}

/**
 * Deletes expired verifications and the notes for the desk, which may still have to be sent. All notes are kept that
 * long, because one that stays alone would show that it reports coercion. Neither kind of entry ever changes, so all
 * those below the first leaf that is young enough are too old.
 */
async function deleteExpiredVerifications(context: Deleting): Promise<number> {
  const { reader, clock } = context
  const retention_ms = context.verification.verification_retention_days * DAY_MS
  const kept_ms = { verification: retention_ms, review: Math.max(retention_ms, ALERT_TRIED_MS) }
  const expired: RegisterCommand[] = []
  for (const kind of ['verification', 'review'] as const) {
    const end = await firstIndexAfter(clock() - kept_ms[kind], context)
    const list = ({ limit, before = end }: PageRequest) => reader.registry.list(kind, {}, { limit, before })
    for await (const entry of eachEntry(list)) expired.push(removalOf(entry))
  }
  return removeAll(expired, context)
}

/**
 * Deletes expired checks, and has the provider delete its data too. The redaction order and the removal are one commit,
 * so a crash can't separate them.
 */
async function deleteExpiredChecks(context: Deleting): Promise<number> {
  const { reader, clerk, clock } = context
  const { verification_retention_days } = context.verification
  const end = await firstIndexAfter(clock() - verification_retention_days * DAY_MS, context)
  const list = ({ limit, before = end }: PageRequest) =>
    reader.registry.list('external_check', {}, { limit, before })
  let deleted = 0
  for await (const entry of eachEntry(list)) {
    const check = checkIn(entry)
    const order = check === undefined ? [] : [redactionCommand(check)]
    await clerk.submit({ kind: 'many', items: [...order, removalOf(entry)] })
    deleted += 1
  }
  return deleted
}

async function removeAll(removals: readonly RegisterCommand[], { clerk }: Deleting): Promise<number> {
  for (let from = 0; from < removals.length; from += MOST_AT_ONCE)
    await clerk.submit({ kind: 'many', items: removals.slice(from, from + MOST_AT_ONCE) })
  return removals.length
}

/** Returns the command that removes exactly the version that was read. */
function removalOf({ kind, id, tenant_id, owner, log_index }: KeptEntry): RegisterCommand {
  return {
    kind: 'register',
    entry_kind: kind,
    id,
    tenant_id,
    owner,
    document: undefined,
    expects: log_index,
  }
}
