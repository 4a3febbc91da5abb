import { AuthorityError } from '@deputize/protocol'
import { carryOut, type Handler } from './operation-context.ts'

interface KeyRotatedOutcome {
  readonly kid: string
  readonly log_index: number
}

/**
 * The log names a key before anything is signed with it. A crash in between leaves a leaf that names a key nobody ever
 * used; the other order could leave tokens under a key that the log never heard of.
 */
export const rotateSigningKey: Handler<'rotateSigningKey'> = async (call, context) => {
  const next = context.keys.prepareRotation(context.clock())
  let isReplay = false
  const onReplay = () => {
    isReplay = true
    call.onReplay()
  }
  const { kid, log_index } = await carryOut<KeyRotatedOutcome>(
    { kind: 'key_rotated', kid: next.kid },
    { ...call, onReplay },
    context,
  )
  if (!isReplay) await next.activate(context.clock())
  else if ((await context.keys.learn(kid)) === undefined)
    throw new AuthorityError(
      'storage_unavailable',
      'That rotation was logged, but its key could not be kept. Rotate again with a fresh Idempotency-Key.',
    )
  return { kid, log_index }
}

export const listSigningKeys: Handler<'listSigningKeys'> = async (_call, { keys }) => ({
  data: keys.list().map(({ kid, created_at, retired_at, published_until }) => ({
    kid,
    status: retired_at === undefined ? 'active' : 'retired',
    created_at,
    ...(retired_at !== undefined && { retired_at }),
    ...(published_until !== undefined && { published_until }),
  })),
})
