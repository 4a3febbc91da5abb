import { about } from '../access.ts'
import { operation } from '../operation.ts'
import { Closed, Flag, Jti } from '../shapes.ts'

export const releaseToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/release',
  tag: 'Tokens',
  summary: 'Release a token from review',
  description:
    'For the safety desk only: releases the token and those that it renews. From now on, they hold nothing for review, neither their own actions nor those of tokens below them. If the token was delegated from one that is under review, release that one. The response does not show whether anything was held before.',
  params: Closed({ jti: Jti }),
  body: Closed({}),
  response: Closed({ released: Flag('Always true.'), jti: Jti }),
  access: { ...about('token', '/params/jti'), safety: 'tenant' },
  errors: ['token_unknown', 'role_not_allowed'],
})
