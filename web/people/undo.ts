/**
 * Calls that wait five seconds, in which the person can undo them. Who leaves the page within that time has decided: the
 * call is sent at once, because a page that is hidden may never run again.
 */
const UNDO_MS = 5000

interface Waiting {
  readonly timer: ReturnType<typeof setTimeout>
  /** Sends the call and takes the offer back. */
  readonly part: () => void
  readonly after: () => Promise<unknown>
}

const waiting = new Set<Waiting>()
/** Sent while nobody looked: what came of it is shown to whoever comes back. */
const parted = new Set<Waiting>()

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') sendAll()
  else showParted()
})
// Some browsers hide no page that is left.
addEventListener('pagehide', sendAll)

function sendAll(): void {
  for (const one of waiting) {
    clearTimeout(one.timer)
    one.part()
    parted.add(one)
  }
  waiting.clear()
}

function showParted(): void {
  for (const { after } of parted) void after()
  parted.clear()
}

/** Whether a call in this place still waits. */
export function isUndoable(place: Element): boolean {
  return place.querySelector('.undo') !== null
}

export interface UndoableCall {
  /** The buttons that the offer to undo takes the place of. */
  readonly place: Element
  readonly words: string
  /** Sends the call when the time is over. False: it was refused. */
  send(): Promise<boolean>
  /** Sends it because the page is left. */
  part(): void
  /** Shows what the page looks like afterwards. */
  after(): Promise<unknown>
}

/** Shows the offer to undo instead of the buttons, and puts them back if it is taken. */
export function offerUndo({ place, words, send, part, after }: UndoableCall): void {
  const buttons = [...place.childNodes]
  const before = document.activeElement
  const offer = document.createElement('div')
  offer.className = 'undo'
  const text = document.createElement('span')
  text.textContent = words
  const undo = document.createElement('button')
  undo.type = 'button'
  undo.className = 'plain'
  undo.textContent = 'Undo'
  offer.append(text, undo)
  place.replaceChildren(offer)
  undo.focus()
  const restore = () => {
    place.replaceChildren(...buttons)
    if (before instanceof HTMLElement) before.focus()
  }
  const one: Waiting = {
    timer: setTimeout(async () => {
      waiting.delete(one)
      undo.remove()
      const isSent = await send()
      offer.className = ''
      if (!isSent) restore()
      await after()
    }, UNDO_MS),
    part() {
      part()
      undo.remove()
      offer.className = ''
    },
    after,
  }
  waiting.add(one)
  undo.onclick = () => {
    clearTimeout(one.timer)
    waiting.delete(one)
    restore()
  }
}
