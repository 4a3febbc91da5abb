/** Keeps the parts of the page up to date while it is open: follows events, and rereads the page when one arrives. */
import { ended, turnToFollow } from '../live/turn-to-follow.ts'
import { PERSON, renewCsrfToken } from './call.ts'
import { isAsking } from './confirm.ts'
import { showTimes } from './times.ts'
import { isUndoable } from './undo.ts'

/** Several events within this time cause one reread. */
const GATHER_MS = 250
/** How often the page is reread while it has no stream. */
const POLL_MS = 15_000
/** For this long, buttons that have moved under a finger ignore taps. */
const SETTLE_MS = 500

/** The text of each part as the service last sent it. */
const served = new Map<string, string>()

let _source: EventSource | undefined
/** Whether it is this page's turn to follow events. */
let _isFollowing = false
/** The index of the last event received. */
let _after = -1
let _timer: ReturnType<typeof setTimeout> | undefined
let _say: (message: string) => void = () => {}

/** `after` is the index of the last event that the page shows. */
export function startLive(after: number, say: (message: string) => void): void {
  for (const part of liveParts(document)) served.set(part.id, part.innerHTML)
  _say = say
  _after = after
  void followInTurns()
  setInterval(() => void onPoll(), POLL_MS)
  addEventListener('pagehide', () => _source?.close())
  // A page restored from the browser's cache shows an old state.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
}

/** Follows while it is this page's turn. The stream sends what has happened since the last event. */
async function followInTurns(): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    // One hidden page, too: its title and its icon show how many requests are waiting.
    const turn = await turnToFollow('people', () => true)
    _isFollowing = true
    follow()
    if (!isFirst) look() // there may be no stream
    await ended(turn)
    _isFollowing = false
    _source?.close()
  }
}

function follow(): void {
  _source = new EventSource(`/v1/vat/events?after=${_after}`)
  _source.onmessage = ({ lastEventId }) => {
    _after = Number(lastEventId)
    look()
  }
}

/** Rereads without a stream: proxies may not pass streams, and a node limits their number. */
async function onPoll(): Promise<void> {
  if (!_isFollowing || _source?.readyState === EventSource.OPEN) return
  if (await refresh()) {
    if (_isFollowing && _source?.readyState === EventSource.CLOSED) follow()
  } else _source?.close()
}

function look(): void {
  _timer ??= setTimeout(() => {
    _timer = undefined
    void refresh()
  }, GATHER_MS)
}

/** Rereads the page. False if the session has ended: the next press of a button reports that. */
export async function refresh(): Promise<boolean> {
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (response === undefined || !response.ok) return true
  if (response.redirected) return false
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  // A question on the screen stays unchanged. The page is reread after it.
  if (isAsking()) {
    document.querySelector('dialog')?.addEventListener('close', look, { once: true })
    return true
  }
  // Another person may have signed in, in another tab.
  const { person = PERSON } = fresh.getElementById('people')?.dataset ?? {}
  if (person !== PERSON) {
    location.reload()
    return true
  }
  renewCsrfToken(fresh)
  announce(fresh)
  document.title = fresh.title
  for (const part of liveParts(fresh)) replacePart(part)
  showTimes()
  showBadge()
  return true
}

/** Announces new requests, because they may be above the visible part of the page. */
function announce(fresh: Document): void {
  const [before, now] = [waitingIn(document.title), waitingIn(fresh.title)]
  if (now > before)
    _say(
      now === 1 ? 'An approval request is waiting for you.' : `${now} approval requests are waiting for you.`,
    )
}

function waitingIn(title: string): number {
  return Number(/^\((\d+)\)/.exec(title)?.[1] ?? 0)
}

/** Shows the number of waiting requests on the icon of an installed page. */
export function showBadge(): void {
  const waiting = waitingIn(document.title)
  void navigator.setAppBadge?.(waiting).catch(() => {})
}

function liveParts(page: Document): HTMLElement[] {
  return [...page.querySelectorAll<HTMLElement>('[data-live]')]
}

function replacePart(fresh: HTMLElement): void {
  const { id, innerHTML } = fresh
  const part = document.getElementById(id)
  if (part === null || served.get(id) === innerHTML) return
  // What can still be undone, or is being sent, stays on the screen. The page is reread when that ends.
  if (isUndoable(part) || part.querySelector('button:disabled') !== null) return
  const open = [...part.querySelectorAll<HTMLDetailsElement>('details[open]')].map((one) => one.id)
  const hadFocus = part.contains(document.activeElement)
  served.set(id, innerHTML)
  part.replaceChildren(...fresh.childNodes)
  for (const one of part.querySelectorAll('details')) if (open.includes(one.id)) one.open = true
  if (hadFocus) part.querySelector<HTMLElement>('[tabindex="-1"]')?.focus()
  part.classList.add('settling')
  setTimeout(() => part.classList.remove('settling'), SETTLE_MS)
}
