/** The page behind the link on the start screen: it creates the first operator key and signs the browser in. */
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { firstOperator } from '../../access/access-control.ts'
import type { OperationContext } from '../../operations/operation-context.ts'
import { PEOPLE_CSP } from '../people/people-pages.ts'
import { PEOPLE_STYLE } from '../people/people-style.ts'
import { signInOffPage } from '../people/sign-in-page.ts'
import { page } from './html.ts'
import { sendPage } from './page-answers.ts'

/** Built by `node web/build.ts`. */
const SETUP_SCRIPT = readFileSync(new URL('../../../../web/dist/setup.js', import.meta.url), 'utf8')

/** The same for every visitor: the secret is in the URL fragment, which only the script reads. */
const SETUP_PAGE = page(
  'Set up Deputy',
  `<style>${PEOPLE_STYLE}
#setup-key { white-space: pre-wrap; overflow-wrap: anywhere; }</style>
<form id="setup-form">
<p class="lead">Create the first operator key. Operators manage keys, tenants and people, and can stop every agent.</p>
<label for="key-name">Name of the key</label>
<input id="key-name" type="text" maxlength="100" value="first operator" autocomplete="off" spellcheck="false">
<p><button id="setup-submit" type="submit">Create the key and sign in</button></p>
</form>
<p class="lead" id="setup-missing" hidden>Open the link that the service printed when it started. It ends with #dsu_ and a secret.</p>
<section id="setup-done" hidden>
<h2 id="setup-title" tabindex="-1">Your operator key</h2>
<p>Store it in a password manager now. It is shown only once, and it expires in 90 days unless you rotate it.</p>
<pre id="setup-key"></pre>
<p><button id="setup-copy" type="button">Copy the key</button> <a class="button plain" href="/app">Continue to the dashboard</a></p>
</section>
<div id="status" role="status"></div>
<noscript><p>This page requires JavaScript. To set up without a browser, call POST /v1/vat/setup with the secret.</p></noscript>
<script type="module" src="/setup.js"></script>`,
)

const SET_UP_ALREADY = page(
  'Deputy is set up',
  `<p class="lead">This deployment has an operator. Sign in with an API key or with your sign-in provider.</p>
<p><a href="/app">Continue to the dashboard</a></p>`,
)

export function addSetupPage(
  app: FastifyInstance,
  { context }: { readonly context: OperationContext },
): void {
  const { accessControl, reader, clock } = context
  const isOpen = async () =>
    accessControl.setup !== undefined && (await firstOperator(reader.registry, clock())) === undefined
  app.get('/setup', async (_request, reply) => {
    if (context.access === 'open') return sendPage(reply, signInOffPage(), PEOPLE_CSP)
    return sendPage(reply, (await isOpen()) ? SETUP_PAGE : SET_UP_ALREADY, PEOPLE_CSP)
  })
  app.get('/setup.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(SETUP_SCRIPT),
  )
}
