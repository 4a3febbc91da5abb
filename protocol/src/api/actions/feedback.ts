import { about } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { AarId, Closed, described, Instant, PersonNote, RatingWord } from '../shapes.ts'

export const rateRecord = operation({
  method: 'POST',
  path: '/v1/vat/aar/{id}/feedback',
  tag: 'Feedback',
  summary: 'Rate an action',
  description:
    'Stores how a person rates an action. A rating never changes: a second call returns 409 with the stored rating.',
  params: Closed({ id: AarId }),
  body: Closed({
    rating: RatingWord,
    note: Type.Optional(PersonNote),
  }),
  response: Closed({
    aar_id: AarId,
    rating: RatingWord,
    feedback_at: described(Instant, 'When the action was rated.'),
  }),
  access: { ...about('record', '/params/id'), human: 'own', reviewers: true, step_up: 'rate' },
  errors: ['record_unknown', 'rating_immutable'],
})
