/**
 * Calls that wait five seconds, in which the person can undo them. If the person leaves the page within that time, the
 * call is sent at once, because a hidden page may never run again.
 */
const UNDO_MS = 5000

interface Waiting {
  readonly timer: ReturnType<typeof setTimeout>
  /** Sends the call and withdraws the offer. */
  readonly part: () => void
  /** Shows whether the call was sent. */
  readonly show: () => Promise<unknown>
}

const waiting = new Set<Waiting>()
/** Calls sent while the page was hidden. Their outcome is shown when it is visible again. */
const parted = new Set<Waiting>()

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'hidden') sendAll()
  else showParted()
})
// Some browsers don't hide a page when the person leaves it.
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
  for (const { show } of parted) void show()
  parted.clear()
}

/** Whether a call in this place is still waiting. */
export function isUndoable(place: Element): boolean {
  return place.querySelector('.undo') !== null
}

export interface UndoableCall {
  /** The element whose buttons the offer to undo replaces. */
  readonly place: Element
  readonly words: string
  /** Sends the call when the time is over. False if it was refused. */
  send(): Promise<boolean>
  /** Sends the call because the person leaves the page. False if it was not carried out. */
  part(): Promise<boolean>
  /** Called when the person comes back to a page whose call was not carried out. */
  onLost(): void
  /** Updates the page afterwards. */
  after(): Promise<unknown>
}

/** Shows the offer to undo instead of the buttons, and puts them back if it is taken. */
export function offerUndo({ place, words, send, part, onLost, after }: UndoableCall): void {
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
  let isCarriedOut: Promise<boolean> | undefined
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
      isCarriedOut = part()
      undo.remove()
      offer.className = ''
    },
    async show() {
      if ((await isCarriedOut) === false) {
        restore()
        onLost()
      }
      await after()
    },
  }
  waiting.add(one)
  undo.onclick = () => {
    clearTimeout(one.timer)
    waiting.delete(one)
    restore()
  }
}
