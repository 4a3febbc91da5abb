/** The script of /sign-in and /me: buttons call the service, and calls are confirmed with a passkey. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { enrollMe, exportBiometricData, removeSign, SIGN_SAVED, saveSign } from './biometrics.ts'
import { confirmed, messageOf, type PageCall, sendRequest, signInPathFor } from './call.ts'
import { ask } from './confirm.ts'
import { type Deed, keepDeed, takeDeed } from './deed.ts'

const MESSAGE_KEY = 'deputy.people.message'

const status = document.getElementById('status')

showMessage()
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-calls]'))
  button.addEventListener('click', () => void run(button, () => carryOut(button)))
onClick('passkey-add', addPasskey)
onClick('passkey-login', signIn)
onClick('biometrics-enroll', enrollMe)
onClick('biometrics-export', exportBiometricData)
onClick('sign-save', async () => onSign(await saveSign()))
onClick('sign-remove', async () => onSign(await removeSign()))
void resume()

function onClick(id: string, act: (button: HTMLButtonElement) => Promise<void>): void {
  const button = document.getElementById(id)
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
    say(messageOf(error))
  } finally {
    button.disabled = false
  }
}

async function carryOut(button: HTMLButtonElement): Promise<void> {
  const { calls = '[]', done = '', question, reload } = button.dataset
  if (question !== undefined && !(await ask([question], 'Yes'))) return
  const actions: PageCall[] = JSON.parse(calls) // written by our own page
  const label = (button.textContent ?? '').trim()
  if (!(await isCarriedOut({ label, calls: actions, done }))) return
  if (reload !== undefined) return reloadWith(done)
  const outcome = document.createElement('p')
  outcome.textContent = done
  outcome.tabIndex = -1
  const card = button.closest('.card')
  for (const other of card?.querySelectorAll('button') ?? []) other.remove()
  card?.append(outcome)
  outcome.focus()
  say(done)
}

/** False when the person cancelled, or must sign in first. In the second case the deed waits for them. */
async function isCarriedOut(deed: Deed): Promise<boolean> {
  try {
    for (const call of deed.calls) if (!(await confirmed(call))) return false
    return true
  } catch (error) {
    const sign_in_path = signInPathFor(error)
    if (sign_in_path === undefined) throw error
    if (!deed.calls.every(({ operation }) => operation === 'logOut')) keepDeed(deed)
    location.assign(sign_in_path)
    return false
  }
}

/** After a sign-in: shows the deed that it interrupted, and finishes it when the person confirms. */
async function resume(): Promise<void> {
  if (document.getElementById('people') === null) return
  const deed = takeDeed()
  if (deed === undefined) return
  try {
    if (!(await ask(['You were signed out before this was done. Do it now?', deed.label], 'Yes, do it')))
      return
    if (await isCarriedOut(deed)) reloadWith(deed.done)
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
    sessionStorage.setItem(MESSAGE_KEY, 'You have signed in again. Now add the passkey.')
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

/** The same words for every change of the sign. */
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
  location.reload()
}

function showMessage(): void {
  const message = sessionStorage.getItem(MESSAGE_KEY)
  if (message === null) return
  sessionStorage.removeItem(MESSAGE_KEY)
  say(message)
}

function say(message: string): void {
  if (status !== null) status.textContent = message
}
