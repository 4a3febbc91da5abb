/** The script of /setup: creates the first operator key with the secret in the address, and signs this browser in. */
import { visibleText } from '@deputize/protocol/visible-text'

const form = element('setup-form', HTMLFormElement)
const name_field = element('key-name', HTMLInputElement)
const status = element('status', HTMLElement)
const setup_secret = /^#(dsu_[\w-]+)$/.exec(location.hash)?.[1]

// The secret leaves the address bar and the history. It was never sent to the service: browsers keep fragments.
history.replaceState(undefined, '', location.pathname)
if (setup_secret === undefined) {
  form.hidden = true
  element('setup-missing', HTMLElement).hidden = false
} else
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(setup_secret)
  })

async function run(secret: string): Promise<void> {
  const button = element('setup-submit', HTMLButtonElement)
  if (button.disabled) return
  button.disabled = true
  say('')
  try {
    const name = name_field.value.trim()
    const { key } = await post('/v1/vat/setup', { setup_secret: secret, ...(name !== '' && { name }) })
    showKey(String(key))
    await post('/v1/vat/auth/sign-in/key', { key })
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
  } finally {
    button.disabled = false
  }
}

/** Shows the key, once. It isn't kept anywhere else, neither in storage nor in the address. */
function showKey(key: string): void {
  element('setup-key', HTMLElement).textContent = key
  form.hidden = true
  element('setup-done', HTMLElement).hidden = false
  element('setup-copy', HTMLButtonElement).addEventListener('click', async () => {
    await navigator.clipboard.writeText(key).then(
      () => say('Copied.'),
      () => say('Your browser did not allow copying. Select the key and copy it.'),
    )
  })
  element('setup-title', HTMLElement).focus()
}

async function post(path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error('The service did not respond. Check that it is running, then try again.')
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(visibleText(String(answer.detail)))
  return answer
}

function say(text: string): void {
  status.textContent = text
}

function element<T extends HTMLElement>(id: string, kind: new () => T): T {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page lacks ${id}`)
  return found
}
