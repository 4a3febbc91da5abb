import type { Handler } from '../operation-context.ts'

export const listSigningKeys: Handler<'listSigningKeys'> = async (_call, { keys }) => ({
  data: keys.list().map(({ kid, created_at, retired_at, published_until }) => ({
    kid,
    status: retired_at === undefined ? 'active' : 'retired',
    created_at,
    ...(retired_at !== undefined && { retired_at }),
    ...(published_until !== undefined && { published_until }),
  })),
})
