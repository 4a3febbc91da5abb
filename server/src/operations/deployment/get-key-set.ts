import type { Handler } from '../operation-context.ts'

export const getKeySet: Handler<'getKeySet'> = async (_call, { keys }) => ({
  keys: keys.published().map(({ kid, alg, jwk, purpose = 'tokens' }) => ({
    ...jwk,
    kid,
    alg,
    use: 'sig',
    purpose,
  })),
})
