import { escapeHtml, page, readableHtml } from '../pages/html.ts'
import { PEOPLE_STYLE } from './people-style.ts'

export interface SignInChoice {
  readonly providers: readonly string[]
  /** A path of this service. */
  readonly return_to: string
  /** Whether the person must sign in again although they have a session. */
  readonly isFresh: boolean
  readonly has_passkeys: boolean
}

export function signInPage({ providers, return_to, isFresh, has_passkeys }: SignInChoice): string {
  const back = `${encodeURIComponent(return_to)}${isFresh ? '&amp;fresh=1' : ''}`
  const links = providers.map(
    (name) =>
      `<li><a class="button" href="/sign-in/${encodeURIComponent(name)}?return_to=${back}">Sign in with ${readableHtml(name)}</a></li>`,
  )
  const lead = leadOf(links.length + (has_passkeys ? 1 : 0), isFresh, return_to)
  return page(
    'Sign in',
    `<style>${PEOPLE_STYLE}</style>
<p class="lead">${lead}</p>
${links.length === 0 ? '' : `<ul class="cards">${links.join('')}</ul>`}
${has_passkeys ? passkeyChoice(return_to, links.length > 0) : ''}`,
    'people',
  )
}

function leadOf(ways: number, isFresh: boolean, return_to: string): string {
  if (isFresh) return `Sign in again to continue.${ways === 1 ? '' : ' Choose how.'}`
  return return_to.startsWith('/approve/')
    ? 'An approval request is waiting for you. Sign in to answer it.'
    : 'Sign in to see the agents that act for you, and to stop them.'
}

function passkeyChoice(return_to: string, hasProviders: boolean): string {
  return `<p><button type="button" id="passkey-login" data-return-to="${escapeHtml(return_to)}">Sign in with a passkey</button></p>
<p class="dim">${
    hasProviders
      ? 'The first time, sign in with a provider. Then add a passkey on your page.'
      : 'No sign-in provider is configured. You can sign in only with a passkey that you have already added.'
  }</p>
<div id="status" role="status"></div>
<noscript><p>Passkeys require JavaScript.</p></noscript>
<script type="module" src="/people.js"></script>`
}

/** Returns the page for open mode, where approval requests are answered in the dashboard. */
export function signInOffPage(approval_id?: string): string {
  const [href, words] =
    approval_id === undefined
      ? ['/app', 'Go to the dashboard']
      : [`/app/approvals/${encodeURIComponent(approval_id)}`, 'Answer in the dashboard']
  return page(
    'Sign-in is off',
    `<style>${PEOPLE_STYLE}</style>
<p class="lead">This service runs in open mode: any program on this machine can call it without a credential, so there is nothing to sign in to.</p>
<p><a class="button" href="${escapeHtml(href)}">${words}</a></p>
<p>To let people sign in, start the service with <code>DEPUTY_ACCESS=keyed</code> and list your sign-in provider in the file that <code>DEPUTY_OIDC_FILE</code> names.</p>`,
  )
}
