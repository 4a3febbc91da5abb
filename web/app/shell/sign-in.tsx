/** Asks for a sign-in when a call needs one, and lets the call continue afterwards. */
import { visibleText } from '@deputize/protocol/visible-text'
import { useEffect, useRef, useState } from 'preact/hooks'
import { askOnce } from '../api/ask-once.ts'
import { problemText, waitingForSignIn } from '../api/client.ts'
import { ProblemBox } from '../parts/basics.tsx'
import { shownAddress } from '../router.ts'
import { me, signInWith } from './session.ts'

const DEFAULT_TENANT = 'default'

export function SignInPanel() {
  const goOn = waitingForSignIn.value
  return goOn === undefined ? null : <SignInForm goOn={goOn} />
}

/** Shown above everything, including the dialog whose call needs the sign-in. */
function SignInForm({ goOn }: { readonly goOn: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    dialog.current?.showModal()
  }, [])
  const hasEnded = me.value !== undefined
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const signIn = async (enter: () => Promise<void>) => {
    try {
      await enter()
    } catch (error) {
      setProblem(problemText(error))
      return
    }
    setProblem(undefined)
    setKey('')
    waitingForSignIn.value = undefined
    goOn()
  }
  const submit = (event: Event) => {
    event.preventDefault()
    void signIn(() => signInWith(key.trim()))
  }
  const usePasskey = () => signIn(async () => (await import('./passkeys.ts')).enterWithPasskey())
  return (
    // Without a session there is nothing behind it to return to.
    <dialog
      ref={dialog}
      class="sign-in"
      aria-labelledby="sign-in-title"
      onCancel={(event) => event.preventDefault()}
    >
      <form onSubmit={submit}>
        <h1 id="sign-in-title">{hasEnded ? 'Your session has ended' : 'Sign in to Deputy'}</h1>
        <p>
          {hasEnded && 'Sign in again to continue where you were. '}
          Use an API key, or a passkey that you added to it. Your session has the role of the key, and the
          page doesn't keep the key.
        </p>
        <label class="field">
          API key
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            required
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
        {problem !== undefined && <ProblemBox text={problem} />}
        <div class="buttons">
          <button type="submit" class="filled">
            Sign in
          </button>
          {'PublicKeyCredential' in globalThis && (
            <button type="button" onClick={() => void usePasskey()}>
              Use a passkey
            </button>
          )}
          <Providers />
        </div>
      </form>
    </dialog>
  )
}

/** Sign-in with a provider leaves this page and returns to it. */
function Providers() {
  const { path, query } = shownAddress.value
  const return_to = encodeURIComponent(query.size === 0 ? path : `${path}?${query}`)
  const tenant = me.value?.tenant_id ?? query.get('tenant') ?? DEFAULT_TENANT
  if (tenant === DEFAULT_TENANT) return <DefaultProviders return_to={return_to} />
  return (
    // Only the page of a tenant lists its providers before a sign-in.
    <a class="button" href={`/sign-in?return_to=${return_to}&tenant=${encodeURIComponent(tenant)}`}>
      Sign in with a provider of {visibleText(tenant)}
    </a>
  )
}

function DefaultProviders({ return_to }: { readonly return_to: string }) {
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    askOnce('listProviders', {}).then(
      ({ data }) => setNames(data.filter(({ protocol }) => protocol === 'oidc').map(({ name }) => name)),
      () => undefined,
    )
  }, [])
  return (
    <>
      {names.map((name) => (
        <a key={name} class="button" href={`/sign-in/${encodeURIComponent(name)}?return_to=${return_to}`}>
          Sign in with {name}
        </a>
      ))}
    </>
  )
}
