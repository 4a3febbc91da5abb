import { readFileSync } from 'node:fs'
import type { AccessMode } from '../../domain/access-mode.ts'
import { page } from './html.ts'

/** The verifier for browsers, built by `node web/build.ts`. */
export const VERIFY_SCRIPT = readFileSync(new URL('../../../../web/dist/verify.js', import.meta.url), 'utf8')

export const VERIFY_CSP =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const STYLE = `
:root { --good: #1a7f4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #5fce93; --bad: #ff8a80; } }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .4rem; } p { overflow-wrap: anywhere; }
button, .drop label { font: inherit; font-weight: 600; color: var(--paper); background: var(--accent); border: 0; border-radius: 6px; padding: .6rem 1.1rem; cursor: pointer; }
button:disabled { opacity: .5; cursor: default; }
button.plain { color: var(--dim); background: none; font-weight: 400; padding: 0; text-decoration: underline; font-size: .88em; }
:focus-visible, .drop:focus-within { outline: 3px solid var(--accent); outline-offset: 3px; }
input[type=password] { display: block; font: inherit; width: 100%; max-width: 24rem; box-sizing: border-box; padding: .4rem .6rem; color: var(--ink); background: none; border: 1px solid var(--line); border-radius: 6px; }
progress { width: 100%; height: .7rem; margin-top: 1rem; accent-color: var(--accent); }
.dim { color: var(--dim); font-size: .92em; }
.drop { border: 2px dashed var(--line); border-radius: 8px; padding: 1.4rem 1rem; text-align: center; }
.drop.over { border-color: var(--accent); }
.drop input { position: absolute; width: 1px; height: 1px; opacity: 0; }
.drop label { display: inline-block; }
.card { border: 1px solid var(--line); border-left: 5px solid var(--dim); border-radius: 6px; padding: .2rem 1rem .8rem; margin-top: 1.2rem; }
.card.sound { border-left-color: var(--good); } .card.sound h3 { color: var(--good); }
.card.fault { border-left-color: var(--bad); } .card.fault h3 { color: var(--bad); }
.card h3 { margin: .6rem 0 0; } .card p { margin: .3rem 0; }
.card dl { margin: .6rem 0 0; font-size: .88em; } .card dd { overflow-wrap: anywhere; }
@media (max-width: 30rem) { .card dl { grid-template-columns: 1fr; gap: 0; } .card dd { margin-bottom: .5rem; } }
`

/** In keyed mode only operators and auditors see entries. The hashes are public. */
const KEY_FIELD = `<p><label for="api-key">API key of an operator or auditor (optional)</label>
<input id="api-key" type="password" autocomplete="off" spellcheck="false"></p>
<p class="dim">Signed in as an operator or auditor of the deployment, or with a key, your browser reads and hashes every entry. Without either it checks the public hashes of all entries. The page does not keep the key.</p>
`

/** Returns the page that verifies the log in the reader's own browser. The script does all the work. */
export function verifyPage(access: AccessMode = 'open'): string {
  return page(
    'Verify the log',
    `<style>${STYLE}</style>
<p class="lead">Your browser downloads the whole log, hashes every entry and compares the result with the signed checkpoint and with your earlier visits.</p>
<section aria-labelledby="log-title">
<h2 id="log-title">This service's log</h2>
<p class="dim"><span id="memory"></span> <button class="plain" id="forget" type="button">Start over</button></p>
${access === 'open' ? '' : KEY_FIELD}<button id="check" type="button">Verify the log</button>
<progress id="progress" hidden aria-label="Share of the log that is verified"></progress>
<p class="dim" id="pace"></p>
<div id="log-outcome" role="status" aria-live="polite"></div>
</section>
<section aria-labelledby="file-title">
<h2 id="file-title">Verify a file</h2>
<p>Choose an audit pack, a proof pack or a receipt. The file stays in your browser.</p>
<div class="drop" id="drop"><input id="file" type="file"><label for="file">Choose a file</label>
<p class="dim">or drop it here</p></div>
<div id="file-outcome" role="status" aria-live="polite"></div>
</section>
<section aria-labelledby="limits-title">
<h2 id="limits-title">Limits of this page</h2>
<p>This page comes from the service that it verifies. If you don't trust the service, verify its log with a copy of Deputy from another source:</p>
<pre id="command">deputy verify</pre>
</section>
<noscript><p>This page requires JavaScript.</p></noscript>
<script type="module" src="/verify.js"></script>`,
  )
}
