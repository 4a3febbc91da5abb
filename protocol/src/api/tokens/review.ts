import { about } from '../access.ts'
import { operation } from '../operation.ts'
import { Closed, Flag, Jti } from '../shapes.ts'

export const releaseToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/release',
  tag: 'Tokens',
  summary: 'Release a token from review',
  description:
    'For the safety desk only: from now on, nothing that the token or one below it does is held for review. The response does not show whether anything was held before.',
  params: Closed({ jti: Jti }),
  body: Closed({}),
  response: Closed({ released: Flag('Always true.'), jti: Jti }),
  access: { ...about('token', '/params/jti'), safety: 'tenant' },
  errors: ['token_unknown', 'role_not_allowed'],
})
