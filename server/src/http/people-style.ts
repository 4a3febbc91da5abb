/** Styles of the pages for people, in addition to the common ones. */
export const PEOPLE_STYLE = `
:root { --good: #1a7f4b; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #5fce93; --bad: #ff8a80; } }
h2 { font-size: 1.3rem; margin: 2.6rem 0 .4rem; }
h3 { font-size: 1.05rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
dd { overflow-wrap: anywhere; }
.dim { color: var(--dim); font-size: .92em; }
ul.cards { list-style: none; margin: 0; padding: 0; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem; margin-top: .8rem; }
summary { font-weight: 600; cursor: pointer; }
.card p { margin: .2rem 0; overflow-wrap: anywhere; }
.card dl { margin: .3rem 0; font-size: .92em; gap: .1rem 1rem; }
button, a.button { display: inline-block; font: inherit; font-weight: 600; line-height: 1.3; text-decoration: none; color: var(--paper); background: var(--accent); border: 2px solid var(--accent); border-radius: 6px; padding: .6rem 1.1rem; margin: .5rem .5rem 0 0; cursor: pointer; }
button.bad { background: var(--bad); border-color: var(--bad); }
button.plain, a.plain { color: var(--ink); background: none; border-color: var(--dim); font-weight: 400; }
button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
label { display: block; font-weight: 600; margin-top: .8rem; }
input[type=text], select, textarea { font: inherit; color: var(--ink); background: var(--paper); border: 2px solid var(--dim); border-radius: 6px; padding: .5rem .7rem; width: 100%; max-width: 20rem; box-sizing: border-box; }
dialog { color: var(--ink); background: var(--paper); border: 1px solid var(--dim); border-radius: 10px; max-width: 30rem; width: calc(100% - 3rem); box-sizing: border-box; padding: 1.3rem; }
dialog::backdrop { background: rgb(0 0 0 / .55); }
dialog h2 { margin: 0 0 .6rem; } dialog p { overflow-wrap: anywhere; }
#status { position: fixed; left: 0; right: 0; bottom: 0; color: var(--paper); background: var(--ink); padding: .8rem 1.25rem; text-align: center; }
#status:empty { padding: 0; }
html { scroll-padding-bottom: 5rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .5rem; } .card button { width: 100%; margin-right: 0; } }
`
