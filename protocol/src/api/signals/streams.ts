import type { Static } from 'typebox'
import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { AnyObject, Closed, Count, described, Flag, Instant, OneOf, Text } from '../shapes.ts'

/** The receiver polls for SETs (RFC 8936). */
export const POLL_DELIVERY = 'urn:ietf:rfc:8936'

/** The service pushes SETs (RFC 8935). */
export const PUSH_DELIVERY = 'urn:ietf:rfc:8935'

/** How many streams a tenant can have. */
export const MOST_SIGNAL_STREAMS = 100

/** The events of the Continuous Access Evaluation Profile that the service transmits. */
export const CAEP_EVENTS = {
  session_revoked: 'https://schemas.openid.net/secevent/caep/event-type/session-revoked',
  token_claims_change: 'https://schemas.openid.net/secevent/caep/event-type/token-claims-change',
} as const
export const SSF_VERIFICATION = 'https://schemas.openid.net/secevent/ssf/event-type/verification'

/** `typ` of a security event token (RFC 8417). */
export const SET_TYP = 'secevent+jwt'

const EVENT_URIS = Object.values(CAEP_EVENTS)
const EventUri = OneOf(EVENT_URIS, { title: 'SignalType', description: 'Type of a signal.' })

const StreamId = Type.String({
  minLength: 1,
  maxLength: 64,
  title: 'StreamId',
  description: 'Stream ID. Starts with str_.',
  examples: ['str_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})

export const SubjectIdentifier = AnyObject<{ readonly format: string; readonly [member: string]: unknown }>({
  title: 'SubjectIdentifier',
  description:
    'Subject identifier (RFC 9493). Tokens: `{"format": "jwt_id", "iss": …, "jti": …}`. Agents: `{"format": "opaque", "id": "agent:…"}`. People: `{"format": "opaque", "id": "<human_ref>"}`.',
})

const DeliveryMethod = OneOf([POLL_DELIVERY, PUSH_DELIVERY], {
  description: 'urn:ietf:rfc:8936: the receiver polls. urn:ietf:rfc:8935: the service pushes.',
})
const Delivery = Closed(
  {
    method: DeliveryMethod,
    endpoint_url: Type.Optional(
      Text(
        'For push, where SETs are sent: an https address on the public internet, port 443 or 8443. Others need an entry in DEPUTY_OUTBOUND_ALLOW.',
        { minLength: 1, maxLength: 2000 },
      ),
    ),
    authorization_header: Type.Optional(
      Text('For push, the value of the Authorization header of each request. It is never shown again.', {
        minLength: 1,
        maxLength: 4096,
        pattern: '^[!-~]([ -~]*[!-~])?$',
      }),
    ),
  },
  { title: 'StreamDelivery', description: 'How SETs reach the receiver. By default it polls.' },
)
export type StreamDelivery = Static<typeof Delivery>

const ShownDelivery = Closed(
  {
    method: DeliveryMethod,
    endpoint_url: Text('Where the receiver polls, or where SETs are pushed to.'),
  },
  { title: 'SignalDelivery', description: 'How SETs reach the receiver.' },
)

const EventsRequested = Type.Array(Text('URI of an event type.', { maxLength: 256 }), {
  maxItems: 50,
  description: 'Event types that the receiver wants. All that the service supports by default.',
})
const Description = Text('What the stream is for.', { minLength: 1, maxLength: 256 })
const StreamAudience = Text('The `aud` of the SETs. The address that is polled or pushed to by default.', {
  minLength: 1,
  maxLength: 512,
})

/** Seconds between two pushed verification events. Each one calls an address that the caller chose. */
export const MIN_VERIFICATION_INTERVAL_S = 5

const StreamStatus = OneOf(['enabled', 'paused', 'disabled'], {
  title: 'StreamStatus',
  description:
    'enabled: SETs are delivered. paused: they are kept until the stream is enabled again. disabled: events in the meantime are not delivered.',
})

const Stream = Closed(
  {
    stream_id: StreamId,
    iss: Text('The `iss` of the SETs.'),
    aud: Text('The `aud` of the SETs.'),
    delivery: ShownDelivery,
    events_supported: Type.Array(EventUri, { description: 'Event types that the service supports.' }),
    events_requested: Type.Array(Type.String(), { description: 'Event types that the receiver wants.' }),
    events_delivered: Type.Array(EventUri, { description: 'Event types that the stream carries.' }),
    min_verification_interval: Type.Optional(
      Count('For push: seconds between two verification events. Asking sooner answers 429.'),
    ),
    description: Type.Optional(Description),
    created_at: described(Instant, 'When the stream was created.'),
    created_by: Type.Optional(
      Text('The credential that created the stream. Absent for streams of earlier versions.'),
    ),
  },
  { title: 'SignalStream', description: 'A stream of signals (Shared Signals Framework 1.0).' },
)
export type SignalStream = Static<typeof Stream>

const StreamOrList = Type.Unsafe<SignalStream | SignalStream[]>({
  anyOf: [Stream, { type: 'array', items: Stream }],
  description: 'The stream, or without `stream_id` every stream of your tenant.',
})

const ManagedBy = { operator: 'any' } as const
const StreamQuery = Closed({ stream_id: StreamId })
const Nothing = Closed({}, { description: 'Nothing.' })

export const getSsfConfiguration = operation({
  method: 'GET',
  path: '/.well-known/ssf-configuration',
  tag: 'Signals',
  summary: 'Get the metadata of the signals transmitter',
  description: 'Metadata of the OpenID Shared Signals Framework 1.0.',
  cache_control: 'public, max-age=300',
  response: Closed({
    spec_version: Text('Version of the framework.'),
    issuer: Text('The `iss` of the SETs.'),
    jwks_uri: Text('Where the keys are that sign SETs.'),
    delivery_methods_supported: Type.Array(Type.String(), { description: 'Push and poll.' }),
    configuration_endpoint: Text('Where streams are managed.'),
    status_endpoint: Text('Where streams are paused and enabled.'),
    add_subject_endpoint: Text('Where subjects are added.'),
    remove_subject_endpoint: Text('Where subjects are removed.'),
    verification_endpoint: Text('Where a verification event is requested.'),
    authorization_schemes: Type.Array(AnyObject({ description: 'A scheme.' }), {
      description: 'How callers authenticate.',
    }),
    default_subjects: OneOf(['ALL'], { description: 'A stream begins with all subjects of its tenant.' }),
  }),
  access: PUBLIC,
  errors: [],
})

export const createStream = operation({
  method: 'POST',
  path: '/v1/vat/ssf/streams',
  tag: 'Signals',
  summary: 'Create a stream of signals',
  description: `Reports everything that is revoked, suspended or resumed in your tenant from now on. The receiver polls the stream, or the service pushes each SET and repeats it until the receiver accepts it. A tenant can have ${MOST_SIGNAL_STREAMS} streams.`,
  body: Closed({
    delivery: Type.Optional(Delivery),
    events_requested: Type.Optional(EventsRequested),
    description: Type.Optional(Description),
    aud: Type.Optional(StreamAudience),
  }),
  status: 201,
  response: Stream,
  access: ManagedBy,
  errors: ['stream_limit', 'registry_conflict'],
})

export const readStreams = operation({
  method: 'GET',
  path: '/v1/vat/ssf/streams',
  tag: 'Signals',
  summary: 'Read a stream, or list streams',
  query: Closed({ stream_id: Type.Optional(StreamId) }),
  response: StreamOrList,
  access: { operator: 'any', auditor: 'any' },
  errors: ['stream_unknown'],
})

export const updateStream = operation({
  method: 'PATCH',
  path: '/v1/vat/ssf/streams',
  tag: 'Signals',
  summary: 'Update a stream',
  description: 'Sets the fields that you send. `delivery` is replaced as a whole; its method cannot change.',
  body: Closed({
    stream_id: StreamId,
    delivery: Type.Optional(Delivery),
    events_requested: Type.Optional(EventsRequested),
    description: Type.Optional(Description),
  }),
  response: Stream,
  access: ManagedBy,
  errors: ['stream_unknown', 'registry_conflict'],
})

export const deleteStream = operation({
  method: 'DELETE',
  path: '/v1/vat/ssf/streams',
  tag: 'Signals',
  summary: 'Delete a stream',
  query: StreamQuery,
  response: Closed({ deleted: Flag('Always true.'), stream_id: StreamId }),
  lane: 'stop',
  access: ManagedBy,
  errors: ['stream_unknown', 'registry_conflict'],
})

const StreamState = Closed(
  {
    stream_id: StreamId,
    status: StreamStatus,
    reason: Type.Optional(Text('Why, in the words of the caller who set it.')),
  },
  { title: 'SignalStreamState', description: 'Whether a stream delivers.' },
)

export const getStreamStatus = operation({
  method: 'GET',
  path: '/v1/vat/ssf/status',
  tag: 'Signals',
  summary: 'Get the status of a stream',
  query: StreamQuery,
  response: StreamState,
  access: { operator: 'any', auditor: 'any' },
  errors: ['stream_unknown'],
})

export const updateStreamStatus = operation({
  method: 'POST',
  path: '/v1/vat/ssf/status',
  tag: 'Signals',
  summary: 'Pause, disable or enable a stream',
  body: Closed({
    stream_id: StreamId,
    status: StreamStatus,
    reason: Type.Optional(Text('Why.', { minLength: 1, maxLength: 256 })),
  }),
  response: StreamState,
  access: ManagedBy,
  errors: ['stream_unknown', 'registry_conflict'],
})

const StreamSubject = Closed({
  stream_id: StreamId,
  subject: SubjectIdentifier,
  verified: Type.Optional(Flag('Accepted and ignored.')),
})

export const addStreamSubject = operation({
  method: 'POST',
  path: '/v1/vat/ssf/subjects/add',
  tag: 'Signals',
  summary: 'Add a subject to a stream',
  description: 'A stream begins with all subjects, so this adds back one that was removed.',
  body: StreamSubject,
  response: Nothing,
  access: ManagedBy,
  errors: ['stream_unknown', 'registry_conflict'],
})

export const removeStreamSubject = operation({
  method: 'POST',
  path: '/v1/vat/ssf/subjects/remove',
  tag: 'Signals',
  summary: 'Remove a subject from a stream',
  description:
    'The stream no longer reports this token, agent or person, nor the tokens of that agent or person. A stream can leave out up to 1,000 subjects.',
  body: Closed({ stream_id: StreamId, subject: SubjectIdentifier }),
  response: Nothing,
  access: ManagedBy,
  errors: ['stream_unknown', 'registry_conflict'],
})

export const verifyStream = operation({
  method: 'POST',
  path: '/v1/vat/ssf/verify',
  tag: 'Signals',
  summary: 'Request a verification event',
  description:
    'The service sends a SET with your `state` over the stream, so that you can check that it works. A push stream gets it immediately, in a single attempt; request the next one after `min_verification_interval`.',
  body: Closed({
    stream_id: StreamId,
    state: Type.Optional(Text('A value that comes back in the event.', { minLength: 1, maxLength: 256 })),
  }),
  response: Nothing,
  access: { operator: 'any', resource_server: 'any' },
  errors: ['stream_unknown'],
})

const SetId = Text('`jti` of a SET.', { minLength: 1, maxLength: 128 })

export const pollStream = operation({
  method: 'POST',
  path: '/v1/vat/ssf/streams/{stream_id}/poll',
  tag: 'Signals',
  summary: 'Poll a stream (RFC 8936)',
  description:
    'Returns SETs that have not been acknowledged and acknowledges those of earlier responses. A SET is returned again until you acknowledge it. If there are none, the call waits up to 30 seconds, unless you send `returnImmediately`. A resource server can poll the streams whose `aud` is its own audience.',
  params: Closed({ stream_id: StreamId }),
  body: Closed({
    maxEvents: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Maximum number of SETs to return. 100 by default; 0 only acknowledges.',
      }),
    ),
    returnImmediately: Type.Optional(Flag('Whether to return immediately when there is nothing new.')),
    ack: Type.Optional(Type.Array(SetId, { maxItems: 1_000, description: 'SETs that you have stored.' })),
    setErrs: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), AnyObject({ description: 'What was wrong with it.' }), {
        description: 'SETs that you cannot accept. They are not returned again.',
      }),
    ),
  }),
  response: Closed({
    sets: Type.Record(Type.String(), Type.String(), { description: 'SETs in compact form, by `jti`.' }),
    moreAvailable: Type.Optional(Flag('Whether there are more.')),
  }),
  access: { operator: 'any', resource_server: 'any' },
  errors: ['stream_unknown'],
})
