import { type AccessControl, openAccessControl } from '../access/access-control.ts'
import { markedMode, wasKeyed } from '../access/access-mode.ts'
import type { KeySessionRecorder } from '../access/key-sessions.ts'
import type { SessionRecorder } from '../access/sessions.ts'
import type { Clerk } from '../clerk/clerk.ts'
import type { RegisterOutcome } from '../clerk/judges/register.ts'
import type { SessionOutcome } from '../clerk/judges/session.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Parts } from './parts.ts'
import type { Whereabouts } from './whereabouts.ts'

export function accessControlOf(
  config: Config,
  parts: Parts,
  clerk: Clerk,
  where: Whereabouts,
): Promise<AccessControl> {
  const { reader, ephemeral, keys, peers } = parts.deployment
  return openAccessControl({
    mode: config.access,
    public_url: where.public_url,
    issuer: where.issuer(),
    reader,
    ephemeral,
    keys,
    sessionRecorder: sessionRecorder(clerk),
    keySessionRecorder: keySessionRecorder(clerk),
    clock: parts.clock,
    is_alone: peers === undefined,
    proof_limit: parts.proof_limit,
    onTrouble: (cause) => parts.onTrouble(cause, 'refused calls not counted'),
  })
}

/**
 * Records in a leaf the mode in which the store is used. A keyed store opens to every program on this machine only if
 * the settings name open mode explicitly.
 */
export async function markAccessMode(
  { access, is_access_explicit }: Config,
  { deployment, logger }: Parts,
  clerk: Clerk,
): Promise<void> {
  const { registry } = deployment.reader
  if (access === 'keyed') {
    if ((await markedMode(registry)) !== 'keyed')
      await clerk.submit({ kind: 'set_access_mode', mode: 'keyed' })
    return
  }
  if (!(await wasKeyed(registry))) return
  if (!is_access_explicit)
    throw new ConfigError([
      'This deployment was used in keyed mode, and open mode would let every program on this machine call it without a credential. Set DEPUTY_ACCESS=keyed. To open it anyway, set DEPUTY_ACCESS=open. The log records the change.',
    ])
  await clerk.submit({ kind: 'set_access_mode', mode: 'open' })
  logger.warn(
    'deployment changed from keyed to open mode: programs on this machine can call without a credential',
  )
}

/** Records the start and end of sessions in the log, through the clerk. */
function sessionRecorder(clerk: Clerk): SessionRecorder {
  return {
    async begun({ session_key, tenant_id, human_ref, assurance_level }) {
      const person = { session_key, tenant_id, human_ref, assurance_level }
      const { outcome } = await clerk.submit({ kind: 'begin_session', ...person })
      const { log_index } = outcome as SessionOutcome // the outcome type of this command's judge
      if (log_index === undefined) throw new Error('the begin of a session was not logged')
      return log_index
    },
    async ended({ session_key, human_ref }) {
      await clerk.submit({ kind: 'end_session', session_key, human_ref })
    },
  }
}

/** Records sessions of API keys as registry entries, whose changes are logged. */
function keySessionRecorder(clerk: Clerk): KeySessionRecorder {
  const change = async (
    { session_key: id, tenant_id }: { readonly session_key: string; readonly tenant_id: string },
    document: string | undefined,
    by: string | undefined,
  ) => {
    const entry = { entry_kind: 'key_session', id, tenant_id, owner: undefined, document } as const
    const expects = document === undefined ? 'any' : 'absent'
    const { outcome } = await clerk.submit({ kind: 'register', ...entry, expects, by })
    return (outcome as RegisterOutcome).log_index // the outcome type of this command's judge
  }
  return {
    async begun(session, document, by) {
      const log_index = await change(session, document, by)
      if (log_index === undefined) throw new Error('the begin of a session was not logged')
      return log_index
    },
    async ended(session, by) {
      await change(session, undefined, by)
    },
  }
}
