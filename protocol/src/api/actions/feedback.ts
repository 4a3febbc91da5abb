import { Type } from 'typebox'
import { about, DECIDERS } from '../access.ts'
import { operation } from '../operation.ts'
import { AarId, Closed, Instant, RatingWord } from '../shapes.ts'

export const rateRecord = operation({
  method: 'POST',
  path: '/v1/vat/aar/{id}/feedback',
  tag: 'Feedback',
  summary: 'Rate an action',
  description:
    'A human says what they think of an action, once and for ever. A second attempt answers 409 with the stored rating.',
  params: Closed({ id: AarId }),
  body: Closed({
    rating: RatingWord,
    note: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Why, in words.' })),
  }),
  example: { rating: 'approved', note: 'Exactly what I asked for' },
  response: Closed({ aar_id: AarId, rating: RatingWord, feedback_at: Instant }),
  access: { ...about('record', '/params/id'), ...DECIDERS, step_up: 'rate' },
  errors: ['record_unknown', 'rating_immutable'],
})
