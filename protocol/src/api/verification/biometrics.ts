import { about, PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AnyObject,
  Closed,
  Count,
  described,
  Flag,
  HumanRef,
  Instant,
  PersonRef,
  RevokedCount,
  Text,
} from '../shapes.ts'

const PersonPath = Closed({ human_ref: PersonRef })

const ConsentHash = Text('SHA-256 digest of version and texts, as canonical JSON (RFC 8785).', {
  examples: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
})

export const getConsent = operation({
  method: 'GET',
  path: '/v1/vat/auth/consent',
  tag: 'People',
  summary: 'Get the consent text of biometric verification',
  description:
    'Show the text to the person before they enroll, and send its version with the session once they accept. When the text changes, people must accept it again at their next verification.',
  response: Closed({
    version: Text('Version to send in `consent.version`.', { examples: ['1'] }),
    text_hash: ConsentHash,
    texts: Closed(
      { en: Text('The text in English.'), de: Text('The text in German.') },
      { description: 'The text in each language. The person sees one of them.' },
    ),
    retention_days: Count('Days that a template is kept.'),
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: [],
})

const StoredConsent = Closed(
  {
    version: Text('Version that the person accepted.'),
    accepted_at: described(Instant, 'When they accepted it.'),
    text_hash: ConsentHash,
    is_current: Flag(
      'Whether this is the current text. If not, the person must accept the current one at their next verification.',
    ),
  },
  { title: 'BiometricConsent', description: 'What a person agreed to, and when.' },
)

/** What answers show about a template. Nothing here depends on a sign of coercion. */
const Enrollment = {
  enrolled_at: Type.Optional(described(Instant, 'When the person first enrolled.')),
  replaced_at: Type.Optional(described(Instant, 'When they last enrolled again.')),
  retention_until: Type.Optional(described(Instant, 'When the template is deleted.')),
  consent: Type.Optional(StoredConsent),
  engine_version: Type.Optional(Text('Version of the engine that made the template.')),
  has_voice: Type.Optional(Flag('Whether the template describes the voice, too.')),
}

export const getBiometrics = operation({
  method: 'GET',
  path: '/v1/vat/auth/biometrics/{human_ref}',
  tag: 'People',
  summary: 'See whether a person is enrolled',
  description: 'The template itself is only in the export.',
  params: PersonPath,
  cache_control: 'no-store',
  response: Closed({
    human_ref: HumanRef,
    enrolled: Flag('Whether a template is stored that counts. The other members are present only then.'),
    ...Enrollment,
  }),
  access: { ...about('human', '/params/human_ref'), human: 'own', operator: 'tenant', auditor: 'tenant' },
  errors: ['human_unknown'],
})

export const deleteBiometrics = operation({
  method: 'DELETE',
  path: '/v1/vat/auth/biometrics/{human_ref}',
  tag: 'People',
  summary: 'Withdraw consent to biometric verification',
  description:
    'Deletes the template, cancels open verification sessions, and revokes every L3 token that is based on it, with everything below. The person can enroll again. Deleting again changes nothing; repeat the call after a 503.',
  params: PersonPath,
  response: Closed({
    deleted: Flag('Always true.'),
    already_deleted: Flag('Whether no template was stored.'),
    human_ref: HumanRef,
    revoked_count: RevokedCount,
    cancelled_sessions: Count('Verification sessions that were open.'),
  }),
  lane: 'stop',
  access: { ...about('human', '/params/human_ref'), human: 'own', operator: 'tenant', step_up: 'erase' },
  errors: ['human_unknown', 'step_up_required'],
})

export const exportBiometrics = operation({
  method: 'GET',
  path: '/v1/vat/auth/biometrics/{human_ref}/export',
  tag: 'People',
  summary: 'Export the biometric data of a person',
  description:
    'Only the person gets this. `template.face` and each field of `template.voice` are float32 numbers, little-endian, in base64. Operators can delete a template but not read it.',
  params: PersonPath,
  cache_control: 'no-store',
  response: Closed({
    human_ref: HumanRef,
    exported_at: described(Instant, 'When this export was made.'),
    enrolled: Flag('Whether a template is stored that counts.'),
    ...Enrollment,
    template: Type.Optional(AnyObject({ description: 'The template, as it is compared with a capture.' })),
    verifications: Type.Array(AnyObject({ description: 'One verification.' }), {
      description: 'The newest verifications, newest first.',
    }),
  }),
  access: { ...about('human', '/params/human_ref'), human: 'own', step_up: 'erase' },
  errors: ['human_unknown', 'step_up_required'],
})
