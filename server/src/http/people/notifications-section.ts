/**
 * The part of /me about messages: where they go, if they arrive, and quiet hours. See `web/people/notifications.ts`.
 */
import type { Channel } from '@deputize/protocol'
import type { PersonOverview } from '../../operations/people/person-overview.ts'
import { escapeHtml, readableHtml } from '../pages/html.ts'
import { button } from './page-button.ts'
import { card, timeTag } from './person-frame.ts'

type Notifications = PersonOverview['notifications']

export function notificationsSection(notifications: Notifications): string {
  const { channels, time_zone } = notifications
  const list =
    channels.length === 0
      ? '<p>Approval requests are shown on this page only.</p>'
      : `<ul class="cards">${channels.map((channel) => channelCard(channel, time_zone)).join('\n')}</ul>`
  return `${list}
${addSection(notifications)}
${quietSection(notifications)}`
}

const CHANNEL_NAMES = {
  email: 'Email',
  push: 'Browser',
  slack: 'Slack',
  teams: 'Teams',
  webhook: 'Webhook',
} as const

function channelCard(channel: Channel, time_zone: string | undefined): string {
  const { channel_id, kind, name, target, state } = channel
  const about = `${CHANNEL_NAMES[kind]} ${target}`
  const title = name === kind ? CHANNEL_NAMES[kind] : `${CHANNEL_NAMES[kind]}: ${name}`
  const test = `<button type="button" class="plain" data-test-channel="${escapeHtml(channel_id)}">Send a test<span class="hidden"> to ${readableHtml(about)}</span></button>`
  const remove = button([{ operation: 'removeChannel', params: { channel_id } }], {
    label: 'Remove',
    about,
    done: 'Removed.',
    deed: `remove ${about}`,
    look: 'plain',
    reload: true,
  })
  return card(
    title,
    `<p class="dim">${readableHtml(target)}${state === 'active' ? '' : ', not confirmed'}</p>
${outcomeLines(channel, time_zone).join('\n')}
${state === 'active' ? test : ''}${remove}`,
  )
}

function outcomeLines({ last_sent_at, last_failure }: Channel, time_zone: string | undefined): string[] {
  return [
    ...(last_sent_at === undefined
      ? []
      : [`<p class="dim">Last message: ${timeTag(Date.parse(last_sent_at), 'ago', time_zone)}</p>`]),
    ...(last_failure === undefined
      ? []
      : [
          `<p>The last message did not arrive: ${readableHtml(last_failure.detail)}. Deputy retries while messages are waiting.</p>`,
        ]),
  ]
}

const POSTED = ['slack', 'teams', 'webhook'] as const

function addSection({ available, push_key }: Notifications): string {
  const push = available.includes('push')
    ? `<button type="button" class="plain" id="notify-here" data-key="${escapeHtml(push_key)}">Notify me in this browser</button>`
    : ''
  const email = available.includes('email')
    ? `<p><label for="notify-address">Email address</label>
<input id="notify-address" type="text" inputmode="email" maxlength="254" autocomplete="email">
<button type="button" class="plain" id="notify-address-add">Notify me by email</button></p>`
    : ''
  const posted = POSTED.filter((kind) => available.includes(kind))
  return `${push}\n${email}\n${posted.length === 0 ? '' : postedForm(posted)}`
}

function postedForm(kinds: readonly (typeof POSTED)[number][]): string {
  const options = kinds.map((kind) => `<option value="${kind}">${CHANNEL_NAMES[kind]}</option>`)
  return `<details class="card" id="posted"><summary>Slack, Teams or a webhook</summary>
<p class="dim">Create an incoming webhook there, and paste its address. Anyone who knows the address can post to it: Deputy stores it encrypted and shows only its host.</p>
<label for="notify-kind">Where to</label>
<select id="notify-kind">${options.join('')}</select>
<label for="notify-url">Address of the incoming webhook</label>
<input id="notify-url" type="text" inputmode="url" maxlength="2000" autocomplete="off" spellcheck="false">
<p><button type="button" class="plain" id="notify-url-add">Add</button></p></details>`
}

/** The script suggests the time zone of the device. */
function quietSection({ time_zone = '', quiet_hours }: Notifications): string {
  const { from = '', to = '', time_zone: zone = time_zone, days } = quiet_hours ?? {}
  const on = days === undefined ? '' : ` on ${days.join(', ')}`
  const now =
    quiet_hours === undefined
      ? 'Messages can arrive at any time.'
      : `No messages from ${from} to ${to}${on}, except that an alert has suspended an agent. Held messages arrive together afterwards.`
  const remove =
    quiet_hours === undefined
      ? ''
      : '<button type="button" class="plain" id="quiet-remove">Remove quiet hours</button>'
  // The form has no field for the days. Without them, saving would silence every day.
  const kept = days === undefined ? '' : ` data-days="${escapeHtml(days.join(' '))}"`
  return `<details class="card" id="quiet"${kept}><summary>Quiet hours and time zone</summary>
<p class="dim">${readableHtml(now)}</p>
<label for="quiet-from">Quiet from</label>
<input id="quiet-from" type="text" inputmode="numeric" maxlength="5" placeholder="22:00" value="${escapeHtml(from)}">
<label for="quiet-to">Until</label>
<input id="quiet-to" type="text" inputmode="numeric" maxlength="5" placeholder="07:00" value="${escapeHtml(to)}">
<label for="quiet-zone">Time zone</label>
<input id="quiet-zone" type="text" maxlength="64" autocomplete="off" spellcheck="false" value="${escapeHtml(zone)}">
<p><button type="button" class="plain" id="quiet-save">Save</button>${remove}</p></details>`
}
