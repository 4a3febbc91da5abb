/**
 * The page around the widget, for apps that don't embed it. Same for every session: only its script reads the secret.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** Built by `node web/build.ts`. */
const VERIFY_ME_SCRIPT = readFileSync(new URL('../../../../web/dist/verify-me.js', import.meta.url), 'utf8')

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1f24; --dim: #5b6470; --paper: #fbfaf7; --line: #e2dfd6; --accent: #0b5d4e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --dim: #a0a8b3; --paper: #16181c; --line: #30343b; --accent: #6fd3bd; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; overflow-wrap: anywhere; } h1:focus { outline: none; }
h2 { font-size: 1.15rem; margin: 0 0 .2rem; }
p, li { overflow-wrap: anywhere; } p { margin: .3rem 0 .8rem; } p.lead { color: var(--dim); margin-top: 0; }
a { color: var(--accent); }
.dim { color: var(--dim); font-size: .92em; font-variant-numeric: tabular-nums; }
.asked { margin: 0 0 1.2rem; padding-left: 1.2rem; }
.cards { display: block; }
.card { border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.2rem; margin: 0 0 1rem; }
.qr { background: #fff; border-radius: 8px; padding: .4rem; width: 15rem; max-width: 100%; aspect-ratio: 1; margin: .4rem 0 .6rem; }
.qr svg { display: block; width: 100%; fill: #000; } .qr.over svg { opacity: .12; }
button, a.button { display: inline-block; font: inherit; font-weight: 600; line-height: 1.3; min-height: 2.75rem; text-decoration: none; color: var(--paper); background: var(--accent); border: 2px solid var(--accent); border-radius: 6px; padding: .6rem 1.1rem; margin: .3rem .5rem .3rem 0; cursor: pointer; }
button.plain { color: var(--ink); background: none; border-color: var(--dim); font-weight: 400; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
progress { width: 100%; height: .8rem; accent-color: var(--accent); }
[hidden] { display: none; }
/* The widget has headings of its own. */
main:has(deputy-verify) h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (min-width: 48rem) { main { padding-top: 4rem; } }
@media (max-width: 30rem) { main { padding: 1.25rem .75rem 3rem; } h1 { font-size: 1.5rem; } .qr { margin-inline: auto; } }
`

/** Allows nothing inline except this style sheet, nothing from other origins, no framing, and no strings as scripts. */
const VERIFY_ME_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  'media-src blob: mediastream:',
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const VERIFY_ME_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Verify · Deputy</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>One moment</h1>
<div id="verify-me"></div>
<noscript><p>This page requires JavaScript.</p></noscript>
</main>
<script type="module" src="/widget.js"></script>
<script type="module" src="/verify-me.js"></script>
</body>
</html>`

const OWN = '(self)'
const VERIFY_ME_HEADERS = {
  'content-security-policy': VERIFY_ME_CSP,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': `camera=${OWN}, microphone=${OWN}, publickey-credentials-get=${OWN}, publickey-credentials-create=${OWN}, geolocation=(), payment=()`,
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

export function addVerifyMePage(app: FastifyInstance): void {
  app.get('/verify-me.js', async (_request, reply) =>
    reply
      .type('text/javascript; charset=utf-8')
      .header('cache-control', 'public, max-age=3600')
      .send(VERIFY_ME_SCRIPT),
  )
  // Providers send people to the second path, in a separate tab that has no secret.
  for (const path of ['/verify-me/:session', '/verify-me/:session/returned'])
    app.get(path, async (_request, reply) =>
      reply.type('text/html; charset=utf-8').headers(VERIFY_ME_HEADERS).send(VERIFY_ME_PAGE),
    )
}
