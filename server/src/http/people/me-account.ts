/** The parts of /me about the person: passkeys, face and voice, sessions, and the account. */
import { OPERATIONS, type Passkey } from '@deputize/protocol'
import type { HumanCaller } from '../../access/caller.ts'
import type { Session } from '../../access/sessions.ts'
import { countText } from '../../messages/words.ts'
import type { PersonOverview } from '../../operations/people/person-overview.ts'
import { escapeHtml, readableHtml } from '../pages/html.ts'
import { button, operationPath } from './page-button.ts'
import { card, closedPart, term, termHtml, timeTag } from './person-frame.ts'

export function passkeysPart({ passkeys, time_zone }: PersonOverview): string {
  const summary = passkeys.length === 0 ? 'none yet' : countText(passkeys.length, 'passkey')
  return closedPart('passkeys', 'Passkeys', summary, passkeysSection(passkeys, time_zone))
}

export function biometricsPart(person: HumanCaller, overview: PersonOverview): string {
  const summary = overview.enrollment.enrolled ? 'enrolled' : 'not enrolled'
  return closedPart('biometrics', 'Face and voice', summary, biometricsSection(overview, person))
}

export function sessionsPart(person: HumanCaller, { sessions, time_zone }: PersonOverview): string {
  const summary = countText(sessions.length, 'device')
  return closedPart('sessions', 'Signed-in devices', summary, sessionsSection(sessions, person, time_zone))
}

/** Shows the person's refs and how they signed in. Not needed to answer a question. */
export function accountPart(person: HumanCaller, { time_zone }: PersonOverview): string {
  const { tenant_id, human_refs, assurance_level, amr, auth_time_ms } = person
  const refs = human_refs.map((ref, index) => term(index === 0 ? 'Known as' : 'Also known as', ref))
  const signed_in = `${timeTag(auth_time_ms, 'exact', time_zone)} with ${readableHtml(methodsOf(amr))}`
  const body = `<p class="dim">The log names you by these hashes, not by your name.</p>
<dl>
${term('Tenant', tenant_id)}
${term('Assurance level', assurance_level)}
${termHtml('Signed in', signed_in)}
${refs.join('\n')}
</dl>`
  return closedPart('account', 'Your account', '', body)
}

/** Returns who is signed in. Deputy stores no email addresses except those that the person gets messages at. */
export function signedInAs(
  { session_key }: Pick<HumanCaller, 'session_key'>,
  {
    notifications,
    sessions,
  }: {
    readonly notifications: Pick<PersonOverview['notifications'], 'channels'>
    readonly sessions: readonly Session[]
  },
): string {
  const address = notifications.channels.find(({ kind, state }) => kind === 'email' && state === 'active')
  if (address !== undefined) return address.target
  const provider = sessions.find((one) => one.session_key === session_key)?.sign_on?.provider
  return provider === undefined ? 'Your account' : `Signed in with ${provider}`
}

function passkeysSection(passkeys: readonly Passkey[], time_zone: string | undefined): string {
  const cards = passkeys.map((passkey) => passkeyCard(passkey, time_zone)).join('\n')
  return `${passkeys.length === 0 ? '<p>You have no passkeys yet. With a passkey you can sign in with your device and confirm sensitive actions.</p>' : `<ul class="cards">${cards}</ul>`}
<p><label for="passkey-name">Name of the new passkey</label>
<input id="passkey-name" type="text" maxlength="100" autocomplete="off" placeholder="Laptop">
<button type="button" class="plain" id="passkey-add">Add a passkey</button></p>`
}

/** Says why a passkey no longer works. This page exists in keyed mode only. */
function uselessText({ suspected_clone, open_mode_only }: Passkey): string {
  if (suspected_clone)
    return '<p>This passkey may have been copied and no longer works. Remove it and add a new one.</p>'
  return open_mode_only
    ? '<p>This passkey was added in open mode and does not work here. Remove it and add a new one.</p>'
    : ''
}

function passkeyCard(passkey: Passkey, time_zone: string | undefined): string {
  const { passkey_id, name, created_at, last_used_at, backed_up } = passkey
  const at = (instant: string) => timeTag(Date.parse(instant), 'exact', time_zone)
  const used = last_used_at === undefined ? 'not used yet' : `last used ${at(last_used_at)}`
  const kept = backed_up ? 'synced' : 'on one device'
  return card(
    name,
    `<p class="dim">Added ${at(created_at)}, ${used}, ${kept}</p>
${uselessText(passkey)}
${button([{ operation: 'deletePasskey', params: { id: passkey_id } }], {
  label: 'Remove',
  about: `the passkey ${name}`,
  done: 'Passkey removed.',
  deed: `remove the passkey ${name}`,
  look: 'stop',
  question: 'This also signs you out on your other devices.',
  yes: 'Remove the passkey',
  reload: true,
})}`,
  )
}

/** Shows the same with and without a sign of coercion. */
function biometricsSection(
  { enrollment, duress_words, time_zone }: PersonOverview,
  { human_ref }: HumanCaller,
): string {
  if (!enrollment.enrolled)
    return `<p>You are not enrolled. No data about your face or voice is stored.</p>
<p class="dim">Enrolling takes about a minute, with your camera and microphone. You read what is stored before it starts, and you can use your phone.</p>
<button type="button" class="plain" id="biometrics-enroll">Enroll</button>`
  const { enrolled_at, replaced_at, retention_until, has_voice, consent } = enrollment
  const at = (instant: string) => timeTag(Date.parse(instant), 'exact', time_zone)
  const again = replaced_at === undefined ? '' : ` Last replaced ${at(replaced_at)}.`
  const path = operationPath(OPERATIONS.exportBiometrics.path, { human_ref })
  return `<p>Enrolled since ${at(enrolled_at)}.${again} A template of your face${has_voice ? ' and voice' : ''} is stored, encrypted, until ${at(retention_until)}. Pictures and recordings are never stored.</p>
<p class="dim">You accepted version ${readableHtml(consent.version)} of the consent text on ${at(consent.accepted_at)}.</p>
<button type="button" class="plain" id="biometrics-enroll">Enroll again</button>
<button type="button" class="plain" id="biometrics-export" data-path="${escapeHtml(path)}" data-human-ref="${escapeHtml(human_ref)}">Export your data</button>
${button([{ operation: 'deleteBiometrics', params: { human_ref } }], {
  label: 'Delete your template',
  about: 'of your face and voice',
  done: 'Template deleted.',
  deed: 'delete your template',
  look: 'stop',
  yes: 'Delete your template',
  question: 'Agents that rely on your face verification stop immediately. You can enroll again later.',
  reload: true,
})}
${signForm(duress_words)}`
}

const SIGN_GESTURES = {
  thumbs_up: 'Thumbs up',
  victory: 'Victory',
  open_palm: 'Open palm',
  point_up: 'Point up',
} as const

/** Always empty, so that the page doesn't reveal whether there is a sign. */
function signForm(words: readonly string[]): string {
  const choices = (entries: readonly (readonly [string, string])[]) =>
    [['', 'None'] as const, ...entries]
      .map(([value, label]) => `<option value="${escapeHtml(value)}">${readableHtml(label)}</option>`)
      .join('')
  return `<details class="card" id="coercion"><summary>Sign of coercion</summary>
<p>If you are forced to verify, a sign that you choose here alerts people who can help. The verification looks like any other. Say the word after the digits, or show the gesture in addition to the requested one.</p>
<p class="dim">A sign is never shown again. Saving replaces any earlier sign. Both buttons need your passkey and show the same result.</p>
<label for="sign-word">Word</label><select id="sign-word">${choices(words.map((word) => [word, word]))}</select>
<label for="sign-gesture">Gesture</label><select id="sign-gesture">${choices(Object.entries(SIGN_GESTURES))}</select>
<label for="sign-contacts">Who to notify, one per line</label><textarea id="sign-contacts" rows="3" autocomplete="off" spellcheck="false"></textarea>
<button type="button" class="plain" id="sign-save">Save the sign</button>
<button type="button" class="plain" id="sign-remove">Remove the sign</button></details>`
}

function sessionsSection(
  sessions: readonly Session[],
  { session_key }: HumanCaller,
  time_zone: string | undefined,
): string {
  const cards = sessions.map((session) => {
    const title = session.session_key === session_key ? 'This device' : 'Another device'
    return card(
      title,
      `<p class="dim">Signed in ${timeTag(session.started_at_ms, 'exact', time_zone)} with ${readableHtml(methodsOf(session.amr))}. Expires ${timeTag(session.expires_at_ms, 'exact', time_zone)} if unused.</p>`,
    )
  })
  return `<ul class="cards">${cards.join('\n')}</ul>
${button([{ operation: 'logOut', body: {} }], { label: 'Sign out', about: '', done: 'Signed out.', deed: 'sign out', look: 'plain', reload: true })}
${button([{ operation: 'logOut', body: { everywhere: true } }], {
  label: 'Sign out everywhere',
  about: '',
  done: 'Signed out everywhere.',
  deed: 'sign out everywhere',
  look: 'plain',
  reload: true,
})}`
}

/** Authentication methods (RFC 8176) in plain words. Others are shown as they are. */
const METHODS: Readonly<Record<string, string>> = {
  pwd: 'password',
  hwk: 'device-bound passkey',
  swk: 'passkey',
  otp: 'one-time code',
  mfa: 'multiple factors',
  user: 'user presence',
}

function methodsOf(amr: readonly string[]): string {
  return amr.length === 0 ? 'single sign-on' : amr.map((one) => METHODS[one] ?? one).join(', ')
}
