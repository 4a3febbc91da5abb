/** Keeps the parts of the page true while it is open: it follows events, and reads the page again when one comes. */
import { isAsking } from './confirm.ts'
import { showTimes } from './times.ts'
import { isUndoable } from './undo.ts'

/** Several events at once cause one look. */
const GATHER_MS = 250
/** How often the page looks while it has no stream. */
const POLL_MS = 15_000
/** Buttons that have moved under a finger do not take a tap for so long. */
const SETTLE_MS = 500

/** The text of each part as the service sent it last. */
const served = new Map<string, string>()

let _source: EventSource | undefined
/** The index of the last event that was heard. */
let _after = -1
let _timer: ReturnType<typeof setTimeout> | undefined
let _say: (message: string) => void = () => {}

/** `after` is the index of the last event that the page shows. */
export function startLive(after: number, say: (message: string) => void): void {
  for (const part of liveParts(document)) served.set(part.id, part.innerHTML)
  _say = say
  _after = after
  follow()
  setInterval(() => void onPoll(), POLL_MS)
  addEventListener('pagehide', () => _source?.close())
  // A page that comes out of the browser's memory shows the past.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
}

function follow(): void {
  _source = new EventSource(`/v1/vat/events?after=${_after}`)
  _source.onmessage = ({ lastEventId }) => {
    _after = Number(lastEventId)
    look()
  }
}

/** Proxies may not pass streams, and a node gives out only so many. */
async function onPoll(): Promise<void> {
  if (_source?.readyState === EventSource.OPEN) return
  if (await refresh()) {
    if (_source?.readyState === EventSource.CLOSED) follow()
  } else _source?.close()
}

function look(): void {
  _timer ??= setTimeout(() => {
    _timer = undefined
    void refresh()
  }, GATHER_MS)
}

/** Reads the page again. False when the session has ended: the next press of a button says so. */
export async function refresh(): Promise<boolean> {
  const response = await fetch(location.pathname, { headers: { accept: 'text/html' } }).catch(() => undefined)
  if (response === undefined || !response.ok) return true
  if (response.redirected) return false
  const fresh = new DOMParser().parseFromString(await response.text(), 'text/html')
  // A question on the screen stays as it is. The page is read again after it.
  if (isAsking()) {
    document.querySelector('dialog')?.addEventListener('close', look, { once: true })
    return true
  }
  announce(fresh)
  document.title = fresh.title
  for (const part of liveParts(fresh)) replacePart(part)
  showTimes()
  showBadge()
  return true
}

/** New questions are said, because they may be above what is on the screen. */
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

/** On the icon of a page that is installed. */
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
  // What can still be undone, or is on its way, stays on the screen. Its end reads the page again.
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
