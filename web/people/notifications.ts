/** The part of /me about messages: channels, tests, quiet hours. `server/src/http/people/notifications-section.ts` shows it. */
import { sendRequest } from './call.ts'
import { ask, askText } from './confirm.ts'

/** What the page does for its parts. */
export interface NotificationsPage {
  /** Runs an act when a button is pressed, one at a time, and shows its errors. */
  onClick(button: HTMLElement | null, act: (button: HTMLButtonElement) => Promise<void>): void
  say(message: string): void
  reloadWith(message: string): void
}

const SETTINGS = '/v1/vat/notifications'

const CHANNELS = `${SETTINGS}/channels`

export function wireNotifications({ onClick, say, reloadWith }: NotificationsPage): void {
  const byId = (id: string) => document.getElementById(id)
  const here = byId('notify-here')
  // Browsers that can't show push messages get no button for them.
  if (here !== null) here.hidden = !canNotify()
  onClick(here, async (button) => {
    if (await notifyHere(button)) reloadWith('Approval requests reach you in this browser.')
    else say('Your browser does not allow notifications of this page. Change that in its settings.')
  })
  onClick(byId('notify-address-add'), async () => {
    if (await addAddress()) reloadWith('Approval requests reach you by email.')
  })
  onClick(byId('notify-url-add'), async () => reloadWith(await addPosted()))
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-test-channel]'))
    onClick(button, async () => say(await testOf(button)))
  suggestZone()
  onClick(byId('quiet-save'), async () => {
    await saveQuietHours()
    reloadWith('Saved.')
  })
  onClick(byId('quiet-remove'), async () => {
    await sendRequest('PUT', SETTINGS, zoneSetting())
    reloadWith('Messages can arrive at any time.')
  })
}

/** Whether this browser shows push messages at all. */
function canNotify(): boolean {
  return 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window
}

/** Subscribes this browser and adds it as a channel. False if the person doesn't allow notifications. */
async function notifyHere(button: HTMLButtonElement): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const registration = await navigator.serviceWorker.register('/push-worker.js')
  await navigator.serviceWorker.ready
  // A new subscription ends the old one, so no one else's messages keep appearing here.
  if (!isOwnChannelListed()) await (await registration.pushManager.getSubscription())?.unsubscribe()
  const subscription = await registration.pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: button.dataset.key ?? '',
  })
  const { endpoint, keys } = subscription.toJSON()
  const answer: unknown = await sendRequest('POST', CHANNELS, {
    kind: 'push',
    name: 'Browser',
    subscription: { endpoint, keys: { p256dh: keys?.p256dh, auth: keys?.auth } },
  })
  const { channel_id } = answer as { channel_id: string } // the answer of this operation
  localStorage.setItem(OWN_CHANNEL_KEY, channel_id)
  return true
}

/** The channel that this browser added for itself. */
const OWN_CHANNEL_KEY = 'deputy.people.channel'

/** Whether this page lists the channel of this browser. Otherwise another person may have added it. */
function isOwnChannelListed(): boolean {
  const own = localStorage.getItem(OWN_CHANNEL_KEY)
  return [...document.querySelectorAll<HTMLElement>('[data-test-channel]')].some(
    ({ dataset }) => dataset.testChannel === own,
  )
}

/** Ends the subscription of this browser if the channel is its own, so that its push service drops it too. */
export async function forgetChannel(channel_id: string | undefined): Promise<void> {
  if (channel_id === undefined || localStorage.getItem(OWN_CHANNEL_KEY) !== channel_id) return
  localStorage.removeItem(OWN_CHANNEL_KEY)
  const registration = await navigator.serviceWorker?.getRegistration('/push-worker.js')
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}

/** Adds an address. An address that the sign-in hasn't proven needs a code. False if the person cancelled. */
async function addAddress(): Promise<boolean> {
  const address = fieldText('notify-address')
  const answer: unknown = await sendRequest('POST', CHANNELS, { kind: 'email', address })
  const { channel_id, state } = answer as { channel_id: string; state: string } // the answer of this operation
  if (state === 'active') return true
  const code = await askText(`Code from the email to ${address}`, { yes: 'Confirm' })
  if (code === undefined) return false
  await sendRequest('POST', `${CHANNELS}/${channel_id}/confirm`, { code })
  return true
}

/** Adds a URL that messages are posted to. The secret of a webhook is shown only now. */
async function addPosted(): Promise<string> {
  const answer: unknown = await sendRequest('POST', CHANNELS, {
    kind: fieldText('notify-kind'),
    url: fieldText('notify-url'),
  })
  const { secret } = answer as { secret?: string } // the answer of this operation
  if (secret !== undefined)
    await ask({
      words: ['The secret that signs messages. It is not shown again.', secret],
      yes: 'I have stored it',
      look: 'only',
    })
  return 'Added. Send a test to see it work.'
}

async function testOf({ dataset }: HTMLButtonElement): Promise<string> {
  const answer: unknown = await sendRequest('POST', `${CHANNELS}/${dataset.testChannel ?? ''}/test`)
  const { sent, detail } = answer as { sent: boolean; detail?: string } // the answer of this operation
  return sent ? 'The test was sent.' : `The test did not arrive: ${detail ?? 'no reason given'}.`
}

function suggestZone(): void {
  const field = document.getElementById('quiet-zone')
  if (field instanceof HTMLInputElement && field.value === '')
    field.value = Intl.DateTimeFormat().resolvedOptions().timeZone
}

/** Empty times set only the time zone. The days stay as they are. */
async function saveQuietHours(): Promise<void> {
  const [from, to] = [fieldText('quiet-from'), fieldText('quiet-to')]
  const zone = zoneSetting()
  const days = document.getElementById('quiet')?.dataset.days?.split(' ')
  const hours = { ...zone, ...(days !== undefined && { days }), from, to }
  const quiet_hours = from === '' && to === '' ? undefined : hours
  await sendRequest('PUT', SETTINGS, { ...zone, ...(quiet_hours !== undefined && { quiet_hours }) })
}

function zoneSetting(): { time_zone?: string } {
  const time_zone = fieldText('quiet-zone')
  return time_zone === '' ? {} : { time_zone }
}

function fieldText(id: string): string {
  const field = document.getElementById(id)
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value.trim() : ''
}
