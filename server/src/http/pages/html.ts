import { visibleText } from '@deputize/protocol'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1f24; --dim: #5b6470; --paper: #fbfaf7; --line: #e2dfd6; --accent: #0b5d4e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --dim: #a0a8b3; --paper: #16181c; --line: #30343b; --accent: #6fd3bd; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .5rem; }
p.lead { color: var(--dim); margin-top: 0; }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .88em; }
pre { background: color-mix(in srgb, var(--line) 40%, transparent); border: 1px solid var(--line); border-radius: 6px; padding: 1rem; overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.2rem; } dt { color: var(--dim); } dd { margin: 0; }
nav { margin-top: 2.5rem; padding-top: 1rem; border-top: 1px solid var(--line); display: flex; gap: 1.25rem; flex-wrap: wrap; }
`

/** The links at the end of a page. People who sign in need nothing from the API. */
const FOOTERS = {
  service:
    '<a href="/">Deputy</a><a href="/me">Your agents</a><a href="/guides">Guides</a><a href="/docs">API reference</a><a href="/openapi.json">OpenAPI</a><a href="/verify">Verify the log</a><a href="/problems">Errors</a>',
  people:
    '<a href="/me">Your agents</a><a href="/guides/approve-from-your-phone">Approve from your phone</a><a href="/verify">Verify the log</a>',
} as const

/** Returns a page in the common style. `body` is trusted HTML, never text from a caller. */
export function page(title: string, body: string, footer: keyof typeof FOOTERS = 'service'): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${readableHtml(title)} · Deputy</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${readableHtml(title)}</h1>
${body}
<nav>${FOOTERS[footer]}</nav>
</main>
</body>
</html>`
}

/** Returns the text that programs get at the root address. Browsers are redirected to the dashboard. */
export function homeText(version: string, access: 'open' | 'keyed', address: string): string {
  return `Deputy ${version}
Let AI agents act for verified people, within limits, with every action on record.

Access: ${access === 'open' ? 'open. Programs on this machine can call without a credential.' : 'keyed. Every call needs a credential.'}

Your first call:

${firstCall(address, access)}

The response contains a signed token. Pass its jti to /v1/vat/record/action or
/v1/vat/authorize.

Dashboard      ${address}/app
Guides         ${address}/guides
API reference  ${address}/docs
`
}

function firstCall(address: string, access: 'open' | 'keyed'): string {
  const credential = access === 'open' ? '' : `\n  -H "Authorization: Bearer $DEPUTY_API_KEY" \\`
  return `curl -s ${address}/v1/vat/issue/l1 \\${credential}
  -H 'Content-Type: application/json' -d '{
  "developer_email": "dev@example.com",
  "agent_id": "calendar-bot",
  "resources": ["calendar:events"],
  "actions": ["read", "write"]
}'`
}

/** Escapes text for a person to read. Deceptive characters are shown as their code points. */
export function readableHtml(text: string): string {
  return escapeHtml(visibleText(text))
}

/** Escapes text for a program, such as an attribute that a script parses. For text for people, see `readableHtml`. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
}
