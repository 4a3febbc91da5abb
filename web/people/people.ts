/** The script of /sign-in and /me: buttons call the service, and calls are confirmed with a passkey. */
import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import { confirmed, messageOf, type PageCall, sendRequest } from './call.ts'
import { ask } from './confirm.ts'

const MESSAGE_KEY = 'deputy.people.message'

const status = document.getElementById('status')

showMessage()
for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-calls]'))
  button.addEventListener('click', () => void run(button, () => carryOut(button)))
onClick('passkey-add', addPasskey)
onClick('passkey-login', signIn)

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
  for (const action of actions) if (!(await confirmed(action))) return
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

async function addPasskey(): Promise<void> {
  const field = document.getElementById('passkey-name')
  const name = field instanceof HTMLInputElement ? field.value.trim() : ''
  const begun = await confirmed({
    operation: 'beginPasskey',
    method: 'POST',
    path: '/v1/vat/auth/passkeys/register/options',
  })
  if (begun === undefined) return
  const response = await startRegistration({ optionsJSON: begun.options })
  await sendRequest('POST', '/v1/vat/auth/passkeys/register/verify', {
    response,
    ...(name !== '' && { name }),
  })
  reloadWith('Passkey added.')
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
