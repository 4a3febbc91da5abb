import type { Static } from 'typebox'
import { about } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Closed, described, Flag, Instant, OneOf, Text } from '../shapes.ts'
import { ActiveHours, DAYS } from '../tokens/constraints.ts'

/** The ways in which messages reach people. */
export const CHANNEL_KINDS = ['email', 'push', 'slack', 'teams', 'webhook'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** What messages are about. */
export const MESSAGE_TOPICS = ['questions', 'alerts', 'suspensions', 'webhooks'] as const
export type MessageTopic = (typeof MESSAGE_TOPICS)[number]

const TOPIC_TEXT =
  '`questions`: an approval request is waiting. `alerts`: an alert fired. `suspensions`: an agent was suspended. `webhooks`: a webhook was disabled (channels of a tenant only).'

export const ChannelId = Type.String({
  pattern: '^chn_[0-9a-v]{36}$',
  title: 'ChannelId',
  description: 'ID of a channel.',
  examples: ['chn_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})

const ChannelKindWord = OneOf(CHANNEL_KINDS, { description: 'How messages travel.' })

const About = Type.Array(OneOf(MESSAGE_TOPICS), {
  minItems: 1,
  maxItems: MESSAGE_TOPICS.length,
  foldsRepeats: true,
  description: `What the channel carries. ${TOPIC_TEXT} Everything by default.`,
})

export const Channel = Closed(
  {
    channel_id: ChannelId,
    kind: ChannelKindWord,
    name: Text('Name of the channel.'),
    state: OneOf(['active', 'unconfirmed'], {
      description: 'An unconfirmed channel carries nothing until its code was sent back.',
    }),
    about: Type.Array(OneOf(MESSAGE_TOPICS), { description: `What the channel carries. ${TOPIC_TEXT}` }),
    target: Text('Where it leads: the email address, or the host of the address. Secrets are not shown.'),
    created_at: described(Instant, 'When it was added.'),
    last_sent_at: Type.Optional(described(Instant, 'When the receiver last took a message or a test.')),
    last_failure: Type.Optional(
      Closed(
        {
          at: described(Instant, 'When the attempt failed.'),
          detail: Text('What went wrong.', { examples: ['the mail server answered 451'] }),
        },
        {
          title: 'ChannelFailure',
          description:
            'The last attempt, if it failed. It is retried automatically while something is waiting.',
        },
      ),
    ),
    attempts: Type.Optional(
      Type.Array(
        Closed(
          {
            at: described(Instant, 'When the message or the test was sent.'),
            sent: Flag('Whether the receiver took it.'),
            detail: Type.Optional(Text('What went wrong.', { examples: ['the mail server answered 451'] })),
          },
          { title: 'ChannelAttempt', description: 'An attempt to send a message or a test.' },
        ),
        { maxItems: 20, description: 'The last 20 attempts, the newest first.' },
      ),
    ),
  },
  { title: 'Channel', description: 'A way in which messages reach a person or the operators of a tenant.' },
)
export type Channel = Static<typeof Channel>

const QUIET_TEXT =
  'Hours in which nothing is sent. Messages that wait are sent together when they end. Urgent alerts are always sent.'
const ZONE_TEXT = 'IANA name of the time zone in which messages give times. UTC by default.'

const GivenSettings = {
  time_zone: Type.Optional(Text(ZONE_TEXT, { format: 'time-zone', examples: ['Europe/Berlin'] })),
  quiet_hours: Type.Optional(
    Closed(ActiveHours.properties, { title: 'QuietHours', description: QUIET_TEXT }),
  ),
}

const StoredSettings = {
  time_zone: Type.Optional(Text(ZONE_TEXT)),
  quiet_hours: Type.Optional(
    Closed(
      {
        time_zone: Text('IANA name of the time zone.'),
        days: Type.Optional(Type.Array(OneOf(DAYS), { description: 'Days on which the hours apply.' })),
        from: Text('First minute, as HH:MM.'),
        to: Text('End, as HH:MM, exclusive.'),
      },
      { title: 'QuietHoursSetting', description: QUIET_TEXT },
    ),
  ),
}

const Notifications = Closed(
  {
    channels: Type.Array(Channel, { description: 'Every channel, oldest first.' }),
    ...StoredSettings,
    available: Type.Array(ChannelKindWord, {
      description:
        'Kinds of channels that can be added: the deployment has what they need, and the tenant allows them.',
    }),
    push_key: Text('The key that a browser subscribes with (`applicationServerKey`), base64url.'),
  },
  { title: 'Notifications', description: 'How messages reach a person, or the operators of a tenant.' },
)

const OWNERS = { human: 'own', operator: 'tenant' } as const

export const getNotifications = operation({
  method: 'GET',
  path: '/v1/vat/notifications',
  tag: 'Notifications',
  summary: 'Get your channels and settings',
  description:
    'A signed-in person gets their own. An operator gets those of the tenant, which carry the approval requests and alerts of everyone in it.',
  cache_control: 'no-store',
  response: Notifications,
  access: OWNERS,
  errors: [],
})

export const setNotifications = operation({
  method: 'PUT',
  path: '/v1/vat/notifications',
  tag: 'Notifications',
  summary: 'Set your time zone and quiet hours',
  description: 'Replaces both. A setting that is left out is removed. Channels stay as they are.',
  body: Closed(GivenSettings),
  cache_control: 'no-store',
  response: Notifications,
  access: OWNERS,
  errors: ['registry_conflict'],
})

const Url = (description: string) =>
  Text(description, { minLength: 8, maxLength: 2000, pattern: '^https?://[\\x21-\\x7e]+$' })

export const addChannel = operation({
  method: 'POST',
  path: '/v1/vat/notifications/channels',
  tag: 'Notifications',
  summary: 'Add a channel',
  description:
    'An email address that your sign-in has proved is active immediately. Any other address is sent a code, and the channel is active once you confirm it with the code. The secret that signs the messages of a webhook is shown only in this response.',
  body: Closed({
    kind: ChannelKindWord,
    name: Type.Optional(Text('Name of the channel. Its kind by default.', { minLength: 1, maxLength: 100 })),
    about: Type.Optional(About),
    address: Type.Optional(
      Text('`email`: the address.', {
        minLength: 3,
        maxLength: 254,
        pattern: '^[^\\s@<>"(),:;\\\\\\[\\]\\x00-\\x1f\\x7f]{1,64}@[A-Za-z0-9.-]{1,189}$',
        examples: ['sam@example.com'],
      }),
    ),
    url: Type.Optional(
      Url(
        '`slack`, `teams`, `webhook`: the address that messages are posted to. It is stored encrypted and not shown again.',
      ),
    ),
    subscription: Type.Optional(
      Closed(
        {
          endpoint: Url('Address at the push service of the browser.'),
          keys: Closed(
            {
              p256dh: Text('Public key of the browser.', { minLength: 87, maxLength: 88 }),
              auth: Text('Secret of the browser.', { minLength: 22, maxLength: 24 }),
            },
            { title: 'PushKeys', description: 'Keys that encrypt messages for the browser.' },
          ),
        },
        {
          title: 'PushSubscription',
          description: '`push`: what `PushSubscription.toJSON()` gives, without `expirationTime`.',
        },
      ),
    ),
  }),
  body_rules: {
    oneOf: [
      { properties: { kind: { const: 'email', description: 'An email address.' } }, required: ['address'] },
      { properties: { kind: { const: 'push', description: 'A browser.' } }, required: ['subscription'] },
      {
        properties: {
          kind: { enum: ['slack', 'teams', 'webhook'], description: 'An address that receives messages.' },
        },
        required: ['url'],
      },
    ],
  },
  status: 201,
  cache_control: 'no-store',
  response: Closed({
    ...Channel.properties,
    secret: Type.Optional(Text('`webhook`: the secret that signs messages (Standard Webhooks), shown once.')),
  }),
  access: OWNERS,
  errors: ['channel_unavailable', 'too_many_channels', 'registry_conflict'],
})

const ChannelPath = Closed({ channel_id: ChannelId })

export const confirmChannel = operation({
  method: 'POST',
  path: '/v1/vat/notifications/channels/{channel_id}/confirm',
  tag: 'Notifications',
  summary: 'Confirm an email address',
  description:
    'The code is valid for 15 minutes and five attempts. To get another one, remove the channel and add it again.',
  params: ChannelPath,
  body: Closed({
    code: Text('The code from the email.', { minLength: 8, maxLength: 8, pattern: '^[0-9]{8}$' }),
  }),
  cache_control: 'no-store',
  response: Channel,
  access: { ...about('channel', '/params/channel_id'), ...OWNERS },
  errors: ['channel_unknown', 'code_refused', 'registry_conflict'],
})

export const testChannel = operation({
  method: 'POST',
  path: '/v1/vat/notifications/channels/{channel_id}/test',
  tag: 'Notifications',
  summary: 'Send a test message',
  description: 'Sends the message now, even in quiet hours, and waits for the response of the receiver.',
  params: ChannelPath,
  cache_control: 'no-store',
  response: Closed({
    sent: Flag('Whether the receiver took the message.'),
    detail: Type.Optional(Text('What went wrong.')),
  }),
  access: { ...about('channel', '/params/channel_id'), ...OWNERS },
  errors: ['channel_unknown', 'channel_unavailable'],
})

export const removeChannel = operation({
  method: 'DELETE',
  path: '/v1/vat/notifications/channels/{channel_id}',
  tag: 'Notifications',
  summary: 'Remove a channel',
  description: 'Messages that have not been sent yet are dropped.',
  params: ChannelPath,
  response: Closed({ removed: Flag('Always true.') }),
  lane: 'stop',
  access: { ...about('channel', '/params/channel_id'), ...OWNERS },
  errors: ['channel_unknown', 'registry_conflict'],
})
