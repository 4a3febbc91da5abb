import { escapeHtml, page } from './html.ts'
import { PEOPLE_STYLE } from './people-style.ts'

export interface SignInChoice {
  readonly providers: readonly string[]
  /** A path of ours. */
  readonly return_to: string
  readonly has_passkeys: boolean
}

export function signInPage({ providers, return_to, has_passkeys }: SignInChoice): string {
  const back = encodeURIComponent(return_to)
  const links = providers.map(
    (name) =>
      `<li><a class="button" href="/sign-in/${encodeURIComponent(name)}?return_to=${back}">Sign in with ${escapeHtml(name)}</a></li>`,
  )
  const lead =
    links.length > 0 || has_passkeys ? 'Choose how you sign in.' : 'No sign-on provider is configured here.'
  return page(
    'Sign in',
    `<style>${PEOPLE_STYLE}</style>
<p class="lead">${lead}</p>
${links.length === 0 ? '' : `<ul class="cards">${links.join('')}</ul>`}
${has_passkeys ? passkeyChoice(return_to, links.length > 0) : ''}`,
  )
}

function passkeyChoice(return_to: string, hasProviders: boolean): string {
  return `<p><button type="button" id="passkey-login" data-return-to="${escapeHtml(return_to)}">Sign in with a passkey</button></p>
<p class="dim">${
    hasProviders
      ? 'The first time, sign in with a provider. Then register a passkey on your page.'
      : 'No sign-on provider is configured here: only people who have a passkey can sign in.'
  }</p>
<div id="status" role="status"></div>
<noscript><p>Passkeys need JavaScript.</p></noscript>
<script type="module" src="/people.js"></script>`
}

/** In open mode. */
export function closedPage(): string {
  return page(
    'Nobody signs in here',
    `<p class="lead">This service runs in open mode: every program of this machine may call it, and nobody proves who they are.</p>
<p>People sign in only where sign-on is configured, in keyed mode. Start the service with <code>DEPUTY_ACCESS=keyed</code> and name your sign-on provider in the file of <code>DEPUTY_OIDC_FILE</code>.</p>`,
  )
}
