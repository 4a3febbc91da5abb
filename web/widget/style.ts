/** The style of the widget. A constructed sheet needs no permission in the page's content security policy. */

const STYLE = `
:host {
  --paper: #fbfaf7; --card: #fff; --tint: #f1efe8; --line: #e2dfd6; --edge: #8b8f96; --ink: #1c1f24; --dim: #5b6470;
  --accent: var(--deputy-accent, #0b5d4e); --on-accent: var(--deputy-on-accent, #fff);
  --good: #1a7f4b; --wait: #8a5a00; --bad: #b3261e;
  display: block; box-sizing: border-box; width: 100%; max-width: 27.5rem; margin-inline: auto; color-scheme: light;
  color: var(--ink); font: 400 1rem/1.5 var(--deputy-font, system-ui, -apple-system, "Segoe UI", Roboto, sans-serif);
  text-align: start; -webkit-text-size-adjust: 100%;
}
:host([hidden]) { display: none; }
@media (prefers-color-scheme: dark) { :host(:not([theme=light])) { DARK } }
:host([theme=dark]) { DARK }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: var(--deputy-radius, 12px); overflow: hidden; }
.top { display: flex; align-items: center; gap: .75rem; min-height: 3.25rem; padding: .25rem .5rem .25rem 1.25rem; border-block-end: 1px solid var(--line); }
.top:has(.idle):has([hidden]) { display: none; }
.fold > .notice + .small { margin-block-start: .5rem; }
.bar { flex: 1; height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; }
.bar.idle { background: none; }
.bar i { display: block; height: 100%; width: 0; border-radius: 3px; background: var(--accent); transition: width .25s ease-out; }
.count { margin: 0; font-size: .8125rem; color: var(--dim); font-variant-numeric: tabular-nums; white-space: nowrap; }
.body { padding: 1.25rem; }
h2 { font-size: 1.375rem; line-height: 1.25; font-weight: 650; letter-spacing: -.01em; margin: 0 0 .5rem; overflow-wrap: anywhere; }
h2:focus { outline: none; }
h3 { font-size: .9375rem; font-weight: 600; margin: 0 0 .5rem; }
p { margin: 0 0 .75rem; overflow-wrap: anywhere; }
.dim { color: var(--dim); font-size: .9375rem; }
.small { color: var(--dim); font-size: .8125rem; line-height: 1.45; }
button, summary, .option, select { min-height: 44px; }
button { font: inherit; font-weight: 600; padding: .625rem 1.25rem; border-radius: 8px; border: 1px solid var(--edge); color: var(--ink); background: transparent; cursor: pointer; -webkit-tap-highlight-color: transparent; }
button.main, a.main { display: block; width: 100%; min-height: 48px; color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
button.main:hover, a.main:hover { filter: brightness(1.08); }
a.main { font-weight: 600; padding: .75rem 1.25rem; border-radius: 8px; text-align: center; text-decoration: none; }
button.quiet { border-color: transparent; font-weight: 500; color: var(--dim); padding-inline: .75rem; }
button.quiet:hover { color: var(--ink); background: var(--tint); }
button:disabled { opacity: .55; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.actions { display: grid; gap: .5rem; margin-block-start: 1.25rem; }
.actions + details, .actions + p { margin-block-start: 1rem; }
.box { background: var(--tint); border-radius: 8px; padding: .875rem 1rem; margin: 0 0 1rem; }
.box h3 { overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; font-size: .9375rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.limits { margin: .625rem 0 0; padding: .625rem 0 0 1.125rem; border-block-start: 1px solid var(--line); font-size: .875rem; }
.limits li { overflow-wrap: anywhere; }
details { border-block-start: 1px solid var(--line); }
details:last-of-type { border-block-end: 1px solid var(--line); }
summary { display: flex; align-items: center; justify-content: space-between; cursor: pointer; font-weight: 500; list-style: none; padding-block: .25rem; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ""; width: .5rem; height: .5rem; margin-inline: .5rem .25rem; border: solid var(--dim); border-width: 0 2px 2px 0; transform: rotate(45deg) translate(-2px, -2px); }
details[open] > summary::after { transform: rotate(225deg); }
.fold { padding-block-end: .75rem; }
.notice { max-height: 15rem; overflow: auto; border: 1px solid var(--line); border-radius: 8px; padding: .75rem .875rem; font-size: .875rem; line-height: 1.5; }
.notice p:last-child { margin: 0; }
.option { display: flex; align-items: center; gap: .75rem; padding-block: .375rem; cursor: pointer; }
.option:has(:disabled) { color: var(--dim); cursor: default; }
.option input { flex: none; inline-size: 1.25rem; block-size: 1.25rem; margin: 0; accent-color: var(--accent); }
label.field { display: block; font-size: .875rem; font-weight: 500; margin-block-end: .75rem; }
select { display: block; width: 100%; margin-block-start: .25rem; font: inherit; font-size: 1rem; color: var(--ink); background: var(--card); border: 1px solid var(--edge); border-radius: 8px; padding: .5rem .625rem; }
.stage { position: relative; aspect-ratio: 4 / 3; background: #101214; overflow: hidden; }
.stage.tall { aspect-ratio: 4 / 3.6; }
video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: cover; transform: scaleX(-1); }
.oval { position: absolute; inset: 0; width: 100%; height: 100%; }
.oval .shade { fill: #0f1113; fill-opacity: .5; }
.oval .ring { fill: none; stroke: #fff; stroke-width: 3; stroke-opacity: .9; transition: stroke .2s; vector-effect: non-scaling-stroke; }
.stage.ready .ring { stroke: #7fe0b2; }
.stage.recording .ring { stroke: #ff8a80; stroke-width: 4; }
.chip { position: absolute; inset-block-end: .75rem; inset-inline: .75rem; margin: 0; display: flex; justify-content: center; pointer-events: none; }
.chip span { max-width: 100%; background: rgb(15 17 19 / .86); color: #fff; border-radius: 99px; padding: .375rem .875rem; font-size: .9375rem; font-weight: 500; text-align: center; }
.chip span:empty { display: none; }
.recording .chip span::before { content: ""; display: inline-block; width: .625rem; height: .625rem; margin-inline-end: .5rem; border-radius: 50%; background: #ff6b5e; }
.count-in { position: absolute; inset: 0; display: grid; place-items: center; color: #fff; font-size: 5rem; font-weight: 700; line-height: 1; text-shadow: 0 2px 12px rgb(0 0 0 / .7); }
.task { display: grid; grid-template-columns: 5.5rem 1fr; gap: 1rem; align-items: center; min-height: 7.5rem; }
.task h2 { font-size: 1.25rem; margin: 0; }
.task .small { margin: 0 0 .125rem; font-weight: 600; }
.again { color: var(--wait); font-weight: 500; margin: 0 0 .75rem; }
svg.picture { width: 5.5rem; height: 5.5rem; padding: .5rem; border-radius: 12px; background: var(--tint); color: var(--accent); }
svg.picture path, svg.mark path { fill: none; stroke: currentColor; stroke-width: 4; stroke-linecap: round; stroke-linejoin: round; }
.digits { font-size: 2.125rem; font-weight: 700; letter-spacing: .3em; font-variant-numeric: tabular-nums; margin: .5rem 0 0; direction: ltr; }
.time { position: absolute; inset-inline: 0; inset-block-end: 0; height: 5px; background: rgb(255 255 255 / .3); overflow: hidden; }
.time i { display: block; height: 100%; background: #fff; transform-origin: left; transform: scaleX(0); }
:host(:dir(rtl)) .time i { transform-origin: right; }
.level { height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; margin-block: .5rem 1rem; }
.level i { display: block; height: 100%; width: 100%; background: var(--good); transform-origin: left; transform: scaleX(0); }
.result { text-align: center; padding-block: 1rem .25rem; }
.result .mark-ground { display: inline-grid; place-items: center; width: 4.5rem; height: 4.5rem; border-radius: 50%; background: var(--tint); color: var(--dim); margin-block-end: 1rem; }
.result .good { color: var(--good); } .result .bad { color: var(--bad); } .result .wait { color: var(--wait); } .result .plain { color: var(--accent); }
svg.mark { width: 2.5rem; height: 2.5rem; } svg.mark path { stroke-width: 9; }
.result + .again { text-align: center; }
.reasons { list-style: none; margin: 0 0 .75rem; padding: 0; }
.reasons li { overflow-wrap: anywhere; margin-block-end: .375rem; }
.busy { inline-size: 2.5rem; block-size: 2.5rem; margin: 1.5rem auto 1rem; border-radius: 50%; border: 4px solid var(--line); border-block-start-color: var(--accent); animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.light { position: fixed; inset: 0; width: 100vw; height: 100vh; height: 100dvh; max-width: none; max-height: none; margin: 0; padding: 0; border: 0; display: grid; place-items: center; z-index: 2147483647; background: #000; }
.calm { width: min(22rem, 88vw); min-height: 17rem; display: grid; place-items: center; padding: 1.5rem; border-radius: 12px; background: #1d2025; color: #e8e6e1; text-align: center; font-size: 1.125rem; font-weight: 500; }
@media (prefers-reduced-motion: reduce) { .busy { animation-duration: 4s; } .bar i, .oval .ring { transition: none; } }
@media (max-width: 30rem) { .card { border-radius: var(--deputy-radius, 10px); } .body { padding: 1rem; } }
@media (forced-colors: active) { .bar i, .time i, .level i { background: Highlight; } svg.picture { forced-color-adjust: auto; } }
`

const DARK = `--paper: #16181c; --card: #1d2025; --tint: #24282e; --line: #30343b; --edge: #6c7480; --ink: #e8e6e1; --dim: #a0a8b3;
--accent: var(--deputy-accent, #6fd3bd); --on-accent: var(--deputy-on-accent, #10231f); --good: #5fce93; --wait: #e6b450; --bad: #ff8a80; color-scheme: dark;`

/** Styles a shadow root. Old browsers can't construct a sheet and get an element, which a strict policy may block. */
export function addStyle(root: ShadowRoot): void {
  const text = STYLE.replaceAll('DARK', DARK)
  if ('adoptedStyleSheets' in root && 'replaceSync' in CSSStyleSheet.prototype) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    root.adoptedStyleSheets = [sheet]
    return
  }
  const style = document.createElement('style')
  style.textContent = text
  root.append(style)
}
