/** The design tokens of the dashboard (`web/app/style/tokens.css`) that the pages for people use. */
export const PEOPLE_TOKENS = `
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #ffffff; --tint: #f1efe8; --line: #e2dfd6; --ink: #1c1f24; --dim: #5b6470; --accent: #0b5d4e; --on-accent: #ffffff; --done: #1a7f4b; --wait: #8a5a00; --no: #b3261e; --on-no: #ffffff; --ask: #2456a6; --shade: rgb(28 31 36 / 32%); --motion: 120ms ease-out; }
@media (prefers-color-scheme: dark) { :root { --paper: #16181c; --card: #1d2025; --tint: #24282e; --line: #30343b; --ink: #e8e6e1; --dim: #a0a8b3; --accent: #6fd3bd; --on-accent: #10201c; --done: #5fce93; --wait: #e6b450; --no: #ff8a80; --on-no: #2b0b09; --ask: #8ab4f8; --shade: rgb(0 0 0 / 56%); } }
@media (prefers-reduced-motion: reduce) { :root { --motion: 0ms; } }
`

/** Styles of the pages for people. Phones come first: a wide screen gets more space, not columns. */
export const PEOPLE_STYLE = `${PEOPLE_TOKENS}
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/24px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; font-variant-numeric: tabular-nums; }
body.person main, .top { box-sizing: border-box; max-width: 40rem; margin: 0 auto; padding: 0 16px; }
body.person main { padding-bottom: 96px; }
.top { display: flex; justify-content: space-between; align-items: center; gap: 16px; }
.top a { display: inline-flex; align-items: center; min-height: 44px; color: var(--ink); text-decoration: none; font-weight: 600; }
.top a.account { color: var(--dim); font-weight: 400; font-size: 14px; line-height: 20px; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 28px; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
.person h1 { font-size: 20px; } body:not(.person) h1 { line-height: 1.2; margin-bottom: 8px; }
h2 { font-size: 20px; margin: 32px 0 4px; } h3 { font-size: 17px; line-height: 24px; }
p { margin: 4px 0; overflow-wrap: anywhere; } body:not(.person) p:has(> a.button) { margin-bottom: 16px; }
a { color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; margin: 8px 0; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
dl.facts { grid-template-columns: fit-content(7rem) 1fr; } dl.facts dt { overflow-wrap: anywhere; }
.dim { color: var(--dim); font-size: 14px; line-height: 20px; }
ul.cards, ul.lines { list-style: none; margin: 0; padding: 0; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 16px; margin-top: 12px; }
.card .card { background: none; }
.asker { color: var(--dim); font-size: 14px; line-height: 20px; margin: 0; }
h2.what { margin: 0; }
.amount { font-size: 34px; font-weight: 600; line-height: 40px; margin: 0; }
.bar { height: 8px; border-radius: 4px; background: var(--line); overflow: hidden; margin: 6px 0 8px; }
.bar span { display: block; height: 100%; background: var(--accent); }
.result-no { color: var(--no); }
summary { min-height: 44px; box-sizing: border-box; padding: 10px 0; font-weight: 600; cursor: pointer; overflow-wrap: anywhere; }
.card > summary { margin: -12px 0; }
.card[open] > summary { margin-bottom: 0; }
.more > summary { font-weight: 400; color: var(--dim); }
.part { border-top: 1px solid var(--line); margin-top: 16px; } .part + .part { margin-top: 0; }
.part[open] { padding-bottom: 24px; }
.part > summary .dim { font-weight: 400; }
.part > summary h2 { display: inline; font-size: 17px; line-height: 24px; margin: 0 8px 0 0; }
button, a.button { display: inline-block; box-sizing: border-box; min-height: 44px; font: inherit; font-weight: 600; text-decoration: none; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: 6px; padding: 9px 16px; margin: 8px 8px 0 0; cursor: pointer; overflow-wrap: anywhere; transition: opacity var(--motion); }
button.bad { color: var(--on-no); background: var(--no); border-color: var(--no); }
button.stop { color: var(--no); background: none; border-color: var(--no); }
button.plain, a.plain { color: var(--ink); background: none; border-color: var(--dim); }
button:disabled { opacity: .5; cursor: default; }
.rate button, .part button.plain { font-weight: 400; }
.rate { display: flex; gap: 8px; } .rate button { flex: 1; margin-right: 0; padding: 9px 8px; white-space: nowrap; }
@media (min-width: 37.5rem) { .card:has(> .rate) { display: grid; grid-template-columns: 1fr auto; column-gap: 16px; } .card > .rate { grid-area: 1 / 2 / 3; align-self: center; } .card > .rate button { margin-top: 0; padding: 9px 12px; } }
.undo { display: flex; align-items: center; justify-content: space-between; gap: 16px; } .undo button { margin-right: 0; }
.answers { display: grid; grid-template-columns: 1fr 1fr; gap: 0 8px; }
.answers > p, .answers > details, .answers > button:not(.plain, .stop) { grid-column: 1 / -1; }
.answers > button, .answers > details button { width: 100%; margin-right: 0; }
#part-question .answers { position: sticky; bottom: 0; background: var(--paper); border-top: 1px solid var(--line); margin-top: 12px; padding: 8px 0 12px; }
@media (max-height: 37.5rem) { #part-question .answers { position: static; } }
.settling button { pointer-events: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
h1:focus, h2:focus { outline: none; }
label { display: block; font-weight: 600; margin-top: 12px; }
input[type=text], select, textarea { font: inherit; min-height: 44px; color: var(--ink); background: var(--paper); border: 1px solid var(--dim); border-radius: 6px; padding: 9px 12px; width: 100%; max-width: 24rem; box-sizing: border-box; }
dialog { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 10px; max-width: 28rem; width: calc(100% - 32px); box-sizing: border-box; padding: 20px; box-shadow: 0 8px 32px var(--shade); }
dialog::backdrop { background: var(--shade); }
dialog h2 { margin: 0 0 8px; } dialog label { margin-bottom: 8px; } dialog textarea { max-width: none; }
.choice { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 12px; } .choice button { margin: 0; flex: 1 1 auto; }
#status { position: fixed; left: 0; right: 0; bottom: 0; color: var(--paper); background: var(--ink); padding: 12px 16px; text-align: center; overflow-wrap: anywhere; }
#status:empty { padding: 0; }
html { scroll-padding-bottom: 64px; }
[hidden] { display: none !important; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
noscript { display: block; max-width: 40rem; margin: 0 auto; padding: 0 16px 24px; }
@media (max-width: 30rem) { .choice button { width: 100%; } .card > button { width: 100%; margin-right: 0; } }
`
