import type { AlertWatch } from '../alerts/alert-watch.ts'
import type { Config } from '../config.ts'
import type { LogScrub } from '../log/log-scrub.ts'
import type { ExternalDesk } from '../operations/external/external-desk.ts'
import type { MessageDesk } from '../operations/notifications/message-desk.ts'
import type { SafetyOutbox } from '../operations/verification/duress/safety-outbox.ts'
import type { TrustScores } from '../trust/trust-scores.ts'
import type { Parts } from './parts.ts'
import { Rounds } from './rounds.ts'

const SAFETY_EVERY_MS = 5_000
/** A score that a token asks for is stored about this long after a change. */
const SCORES_EVERY_MS = 1_000
/** 256 entries of the log are read back this often: a million take about an hour. */
const SCRUB_EVERY_MS = 1_000
/** An alert fires about this long after its cause. */
const ALERTS_EVERY_MS = 1_000
const EXTERNAL_EVERY_MS = 2_000
const MESSAGES_EVERY_MS = 1_000

interface RepeatedWork {
  readonly trustScores: TrustScores
  readonly scrub: LogScrub
  readonly alertWatch: AlertWatch
  readonly messages: MessageDesk
  readonly safety: SafetyOutbox | undefined
  readonly externalDesk: ExternalDesk | undefined
}

/** Returns the tasks that the service repeats while it listens. */
export function serviceRounds(config: Config, parts: Parts, work: RepeatedWork): Rounds {
  const { trustScores, scrub, alertWatch, messages, safety, externalDesk } = work
  const rounds = new Rounds(parts.onTrouble)
  rounds.add(SCORES_EVERY_MS, () => trustScores.keepScores(), 'scores not kept')
  rounds.add(SCRUB_EVERY_MS, () => scrub.runOnce(), 'log not read back')
  rounds.add(ALERTS_EVERY_MS, () => alertWatch.runOnce(), 'alert rules not evaluated')
  if (config.is_quiet) {
    parts.logger.warn('DEPUTY_QUIET is on: no webhook, signal, message or alert is sent')
    return rounds
  }
  rounds.add(MESSAGES_EVERY_MS, () => messages.look(), 'messages not sent')
  // Handles what another node left undone, and what the receiver didn't accept.
  if (safety !== undefined) rounds.add(SAFETY_EVERY_MS, () => safety.runOnce())
  if (externalDesk !== undefined) rounds.add(EXTERNAL_EVERY_MS, () => externalDesk.runOnce())
  return rounds
}
