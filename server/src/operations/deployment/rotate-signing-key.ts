import { AuthorityError } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { submitCommand } from '../submit-command.ts'

interface KeyRotatedOutcome {
  readonly kid: string
  readonly log_index: number
}

/**
 * Logs the keys before anything is signed with them. A crash in between leaves a leaf that names keys that are never
 * used. In the other order, it could leave tokens signed with a key that the log doesn't name.
 */
export const rotateSigningKey: Handler<'rotateSigningKey'> = async (call, context) => {
  const next = context.keys.prepareRotation()
  let isReplay = false
  const onReplay = () => {
    isReplay = true
    call.onReplay()
  }
  const { kid, log_index } = await submitCommand<KeyRotatedOutcome>(
    { kind: 'key_rotated', kids: next.kids, ready_ms: next.ready_ms },
    { ...call, onReplay },
    context,
  )
  if (!isReplay) await next.activate(context.clock())
  else if ((await context.keys.learn(kid)) === undefined)
    throw new AuthorityError(
      'storage_unavailable',
      'The rotation was logged, but the key was not stored. Rotate again with a new Idempotency-Key.',
    )
  return { kid, log_index }
}
