import { about, STAFF } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  Closed,
  described,
  Flag,
  HumanRef,
  Instant,
  LogIndex,
  PageOf,
  PageQuery,
  PersonRef,
  Text,
} from '../shapes.ts'

const Base = Type.Number({
  minimum: 0,
  maximum: 0.95,
  title: 'AnchorBase',
  description:
    "The anchor's own weight, from 0 to 0.95. It replaces what verification gives (0.7 at L2, 0.95 at L3): with 0, a verified person is not an anchor, and stays out after an erasure until an operator removes the entry.",
  examples: [0.7],
})

const Anchor = Closed(
  {
    human_ref: HumanRef,
    base: Base,
    reason: Type.Optional(Text('Why an operator named the person. Absent once the person is erased.')),
    named_at: described(Instant, 'When an operator named the person.'),
    log_index: LogIndex,
  },
  { title: 'Anchor', description: 'A person whom an operator named as an anchor.' },
)

const AnchorPath = Closed({ human_ref: PersonRef })

export const nameAnchor = operation({
  method: 'PUT',
  path: '/v1/vat/trust/anchors/{human_ref}',
  tag: 'Trust',
  summary: 'Name a person as an anchor',
  description:
    'Scores begin at anchors: people who are verified at L2 or L3, and those that an operator names. Naming a person again sets another base. The log contains the base and a digest of the reason.',
  params: AnchorPath,
  body: Closed({
    base: Base,
    reason: Text('Why, in your own words. Stored encrypted and deleted when the person is erased.', {
      minLength: 1,
      maxLength: 500,
    }),
  }),
  response: Anchor,
  access: { ...about('human', '/params/human_ref'), operator: 'tenant' },
  errors: ['human_unknown'],
})

export const removeAnchor = operation({
  method: 'DELETE',
  path: '/v1/vat/trust/anchors/{human_ref}',
  tag: 'Trust',
  summary: 'Remove an anchor that an operator named',
  description:
    'The person then counts only by their verification. To exclude a verified person, name them with base 0. Removing an anchor that is not there changes nothing.',
  params: AnchorPath,
  response: Closed({
    human_ref: HumanRef,
    removed: Flag('Whether an operator had named the person.'),
  }),
  access: { ...about('human', '/params/human_ref'), operator: 'tenant' },
  errors: ['human_unknown'],
})

export const listAnchors = operation({
  method: 'GET',
  path: '/v1/vat/trust/anchors',
  tag: 'Trust',
  summary: 'List the anchors that operators named',
  description: 'Newest first. Verified people are anchors without being listed here.',
  query: Closed({ ...PageQuery }),
  response: PageOf(Anchor),
  access: STAFF,
  errors: [],
})
