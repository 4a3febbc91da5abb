/** The script of /sign-in, /me and /approve: buttons call the service, and calls are confirmed with a passkey. */
import { visibleText } from '@deputize/protocol/visible-text'
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { enrollMe, exportBiometricData, removeSign, SIGN_SAVED, saveSign } from './biometrics.ts'
import {
  confirmed,
  keepTenant,
  lacksPasskey,
  messageOf,
  type PageCall,
  PERSON,
  sendInParting,
  sendRequest,
  signInPath,
  signInPathFor,
} from './call.ts'
import { ask, askText } from './confirm.ts'
import { type Deed, keepDeed, takeDeed } from './deed.ts'
import { refresh, showBadge, startLive } from './live.ts'
import { forgetChannel, wireNotifications } from './notifications.ts'
import { keepOpenParts, openParts } from './parts.ts'
import { type StopPreview, stopQuestion } from './stop-question.ts'
import { startTimes } from './times.ts'
import { offerUndo } from './undo.ts'

const MESSAGE_KEY = 'deputy.people.message'
/** The same, for the page that a sign-in returns to. */
const SIGNED_IN_MESSAGE_KEY = 'deputy.people.signed-in-message'
/** The longest that stopping waits for a count of what stops. */
const PREVIEW_MS = 3000

const status = document.getElementById('status')
const people = document.getElementById('people')

showMessage(MESSAGE_KEY)
if (people !== null) showMessage(SIGNED_IN_MESSAGE_KEY)
openParts()
// Parts of the page are replaced while it is open, so the document handles clicks on their buttons.
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button[data-calls]') : null
  if (button instanceof HTMLButtonElement) void run(button, () => onDeed(button))
})
onClick('passkey-add', addPasskey)
onClick('passkey-login', signIn)
onClick('biometrics-enroll', enrollMe)
onClick('biometrics-export', exportBiometricData)
onClick('sign-save', async () => onSign(await saveSign()))
onClick('sign-remove', async () => onSign(await removeSign()))
wireNotifications({ onClick: onPress, say, reloadWith })
if (people !== null) {
  const { now = '0', after = '-1' } = people.dataset
  keepTenant()
  startLive(Number(after), say) // before times are shown, because it compares what the service sent
  startTimes(Number(now))
  showBadge()
  void resume()
}

function onClick(id: string, act: (button: HTMLButtonElement) => Promise<void>): void {
  onPress(document.getElementById(id), act)
}

function onPress(button: HTMLElement | null, act: (button: HTMLButtonElement) => Promise<void>): void {
  if (button instanceof HTMLButtonElement)
    button.addEventListener('click', () => void run(button, () => act(button)))
}

/** Runs one action per button at a time and shows errors. */
async function run(button: HTMLButtonElement, act: () => Promise<void>): Promise<void> {
  if (button.disabled) return
  button.disabled = true
  say('')
  try {
    await act()
  } catch (error) {
    const sign_in_path = signInPathFor(error)
    if (sign_in_path === undefined) say(messageOf(error))
    else await offerSignIn(sign_in_path)
  } finally {
    button.disabled = false
  }
}

/** For actions that aren't resumed after the sign-in. */
async function offerSignIn(sign_in_path: string): Promise<void> {
  const title = 'Sign in again.'
  const words = ['Your session has ended, or this needs a recent sign-in. Nothing was saved.']
  if (await ask({ title, words, yes: 'Sign in', look: 'only' })) location.assign(sign_in_path)
}

async function onDeed(button: HTMLButtonElement): Promise<void> {
  const deed = deedOf(button)
  if (button.dataset.undo !== undefined) return carryOutLater(deed, button)
  if (!(await isAgreed(deed))) return
  const { note, yes = 'Yes' } = button.dataset
  const text = note === undefined ? '' : await askText(note, { title: titleOf(deed), yes })
  if (text === undefined) return
  await carryOut({ ...deed, calls: deed.calls.map((call) => withNote(call, text)) }, button)
}

function deedOf({ dataset }: HTMLButtonElement): Deed {
  const { calls = '[]', done = '', deed = '', question, yes, stops, name, reload } = dataset
  return {
    deed,
    calls: JSON.parse(calls), // written by our own page, as is the list of tokens
    done,
    ...(question !== undefined && { question }),
    ...(yes !== undefined && { yes }),
    ...(stops !== undefined && { stops: JSON.parse(stops), name: name ?? '' }),
    ...(reload !== undefined && { reload: true }),
  }
}

/** A deed as a question: `Deny this?` */
function titleOf({ deed }: Deed): string {
  return `${deed.charAt(0).toUpperCase()}${deed.slice(1)}?`
}

function withNote(call: PageCall, note: string): PageCall {
  return note === '' ? call : { ...call, body: { ...Object(call.body), note } }
}

/** Asks first if the deed can't be undone. What would stop is counted at that moment. */
async function isAgreed(deed: Deed): Promise<boolean> {
  const { question, yes = 'Yes', stops, name = '' } = deed
  if (question !== undefined) return ask({ title: titleOf(deed), words: [question], yes, look: 'danger' })
  if (stops === undefined) return true
  try {
    return await ask({ ...stopQuestion(name, await previewsOf(stops), registeredNames()), look: 'danger' })
  } catch (error) {
    await leaveToSignIn(deed, error)
    return false
  }
}

/** The names of agents that the page knows, made safe to read. */
function registeredNames(): Map<string, string> {
  const names: Record<string, string> = JSON.parse(people?.dataset.names ?? '{}') // written by our own page
  return new Map(Object.entries(names).map(([agent_id, name]) => [agent_id, visibleText(name)]))
}

/** What each token would stop. Empty if that isn't known in time: agents can be stopped without it. */
async function previewsOf(tokens: readonly string[]): Promise<StopPreview[]> {
  const late = new Promise<StopPreview[]>((resolve) => setTimeout(() => resolve([]), PREVIEW_MS))
  const previews = Promise.all(
    tokens.map(async (vat_jti) => {
      const answer: unknown = await sendRequest('POST', '/v1/vat/revoke/preview', { vat_jti })
      return answer as StopPreview // the answer of this operation
    }),
  ).catch((error: unknown) => {
    if (signInPathFor(error) !== undefined) throw error
    return []
  })
  return Promise.race([previews, late])
}

async function carryOut(deed: Deed, button?: HTMLButtonElement): Promise<void> {
  if (!(await isCarriedOut(deed))) return
  if (isParting(deed)) return leaveWith(deed.done)
  if (deed.reload === true) return reloadWith(deed.done)
  const part = button?.closest('[data-live]')
  if (button !== undefined) button.disabled = false // it is done, so its part can be replaced
  await refresh()
  part?.querySelector<HTMLElement>('[tabindex="-1"]')?.focus()
  say(deed.done)
}

/** Shows the person what they chose, and lets them undo it. */
function carryOutLater(deed: Deed, button: HTMLButtonElement): void {
  const place = button.parentElement
  if (place === null) return
  offerUndo({
    place,
    words: deed.done,
    part: async () => (await Promise.all(deed.calls.map(sendInParting))).every((isSent) => isSent),
    onLost: () => say('That could not be sent. Try again.'),
    send: async () => {
      try {
        const isSent = await isCarriedOut(deed)
        if (isSent) say(deed.done)
        return isSent
      } catch (error) {
        say(messageOf(error))
        return false
      }
    },
    after: refresh,
  })
}

/** False if the person cancelled, or must sign in first. In the second case the deed is kept for them. */
async function isCarriedOut(deed: Deed): Promise<boolean> {
  try {
    for (const call of deed.calls) {
      if (!(await confirmed(call))) return false
      if (call.operation === 'removeChannel') await forgetChannel(call.params?.channel_id)
    }
    return true
  } catch (error) {
    if (lacksPasskey(error)) await leadToPasskeys(deed)
    else await leaveToSignIn(deed, error)
    return false
  }
}

/** Leads a person who has no passkey to confirm the deed with to where they can add one. */
async function leadToPasskeys({ deed }: Deed): Promise<void> {
  const words = [`A passkey confirms that it is you. Add one to your account, then come back to ${deed}.`]
  if (await ask({ title: 'You need a passkey', words, yes: 'Add a passkey' })) location.assign('/me#passkeys')
}

/** Says that the session has ended and what the sign-in is for. The deed is resumed afterwards. */
async function leaveToSignIn(deed: Deed, error: unknown): Promise<void> {
  const sign_in_path = signInPathFor(error)
  if (sign_in_path === undefined) throw error
  if (!isParting(deed)) {
    const title = "You've been signed out."
    const words = [`Sign in to ${deed.deed}.`]
    if (!(await ask({ title, words, yes: 'Sign in', look: 'only' }))) return
    keepDeed(deed, PERSON)
  }
  location.assign(sign_in_path)
}

/** Whether the person wants to sign out, which needs no session afterwards. */
function isParting({ calls }: Deed): boolean {
  return calls.every(({ operation }) => operation === 'logOut')
}

/** Finishes the deed that a sign-in interrupted. Asks again before anything that can't be undone. */
async function resume(): Promise<void> {
  const deed = takeDeed(PERSON)
  if (deed === undefined) return
  try {
    if (await isAgreed(deed)) await carryOut(deed)
  } catch (error) {
    say(messageOf(error))
  }
}

async function addPasskey(): Promise<void> {
  const field = document.getElementById('passkey-name')
  const name = field instanceof HTMLInputElement ? field.value.trim() : ''
  const begun = await confirmed({
    operation: 'beginPasskey',
    method: 'POST',
    path: '/v1/vat/auth/passkeys/register/options',
  }).catch((error: unknown) => {
    const sign_in_path = signInPathFor(error)
    if (sign_in_path === undefined) throw error
    sessionStorage.setItem(SIGNED_IN_MESSAGE_KEY, 'You have signed in again. Now add the passkey.')
    keepOpenParts()
    location.assign(sign_in_path)
    return undefined
  })
  if (begun === undefined) return
  const response = await startRegistration({ optionsJSON: begun.options })
  await sendRequest('POST', '/v1/vat/auth/passkeys/register/verify', {
    response,
    ...(name !== '' && { name }),
  })
  reloadWith('Passkey added.')
}

/** Shows the same message for every change of the sign. */
function onSign(isChanged: boolean): void {
  if (isChanged) say(SIGN_SAVED)
}

async function signIn(button: HTMLButtonElement): Promise<void> {
  const { options } = await sendRequest('POST', '/v1/vat/auth/passkeys/login/options')
  const response = await startAuthentication({ optionsJSON: options })
  await sendRequest('POST', '/v1/vat/auth/passkeys/login/verify', { response })
  location.assign(button.dataset.returnTo ?? '/me')
}

/** Reloads the page to show the current state, then the message. */
function reloadWith(message: string): void {
  sessionStorage.setItem(MESSAGE_KEY, message)
  keepOpenParts()
  location.reload()
}

/** Leads to the sign-in, and shows the message there. */
function leaveWith(message: string): void {
  sessionStorage.setItem(MESSAGE_KEY, message)
  location.assign(signInPath())
}

function showMessage(key: string): void {
  const message = sessionStorage.getItem(key)
  if (message === null) return
  sessionStorage.removeItem(key)
  say(message)
}

function say(message: string): void {
  if (status !== null) status.textContent = message
}
