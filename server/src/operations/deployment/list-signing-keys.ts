import type { KeyFacts } from '../../keys/key-ring.ts'
import type { Handler } from '../operation-context.ts'

export const listSigningKeys: Handler<'listSigningKeys'> = async (_call, { keys }) => ({
  data: keys.list().map(signingKeyView),
})

function signingKeyView({ kid, purpose, status, created_at, ...times }: KeyFacts) {
  const { active_from, retired_at, published_until, withdrawn_at, withdrawn_from } = times
  return {
    kid,
    purpose,
    status,
    created_at,
    ...(active_from !== undefined && { active_from }),
    ...(retired_at !== undefined && { retired_at }),
    ...(published_until !== undefined && { published_until }),
    ...(withdrawn_at !== undefined && { withdrawn_at }),
    ...(withdrawn_from !== undefined && { withdrawn_from }),
  }
}
