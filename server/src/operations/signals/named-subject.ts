import { invalidField } from '@deputize/protocol'
import { type SubjectId, subjectKey } from '../../events/signals/signal.ts'

const MOST_LENGTH = 256

/** Returns the name of a subject in a request. */
export function namedSubject(subject: SubjectId): string {
  const key = subjectKey(subject)
  if (key === undefined || key.length > MOST_LENGTH)
    throw invalidField(
      '/subject',
      'must be {"format": "jwt_id", "iss", "jti"} for a token, or {"format": "opaque", "id"} with an agent or a human_ref',
    )
  return key
}
