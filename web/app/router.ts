/** Addresses below /app. The address is the state: filters are in the query, so every view can be shared. */
import { signal } from '@preact/signals'

interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

export const shownAddress = signal<Place>(currentPlace())

function currentPlace(): Place {
  return {
    path: location.pathname.replace(/\/+$/, '') || '/app',
    query: new URLSearchParams(location.search),
  }
}

/** Where readers were on a screen when they left it, stored in the history entry. */
interface LeftScreen {
  readonly scroll_y: number
  /** The link that they followed. */
  readonly followed?: string
}

const TOP: LeftScreen = { scroll_y: 0 }

/** Where to show the next screen, once it has loaded. */
let arrival: LeftScreen | undefined

function keepPlace(left: LeftScreen): void {
  history.replaceState(left, '')
}

/** Reads the state of a history entry, which could be anything. */
function placeIn(state: unknown): LeftScreen {
  if (typeof state !== 'object' || state === null || !('scroll_y' in state)) return TOP
  const { scroll_y, followed } = state as { scroll_y: unknown; followed?: unknown } // it has the member
  return {
    scroll_y: typeof scroll_y === 'number' ? scroll_y : 0,
    ...(typeof followed === 'string' && { followed }),
  }
}

/** Called when a screen appears: the reader begins at its top, or continues where they left it. */
export function arrive(): void {
  if (arrival === undefined) return
  const { scroll_y, followed } = arrival
  arrival = undefined
  scrollTo(0, scroll_y)
  if (document.querySelector('dialog[open]') !== null) return
  const links = followed === undefined ? [] : [...document.querySelectorAll<HTMLElement>('main a')]
  const link = links.find((one) => one.getAttribute('href') === followed)
  const place = link ?? document.querySelector<HTMLElement>('main h1')
  place?.focus({ preventScroll: true })
}

export function navigate(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(history.state, '', href)
  else {
    keepPlace({ scroll_y: scrollY, followed: href })
    history.pushState(null, '', href)
  }
  goTo(TOP)
}

function goTo(place: LeftScreen): void {
  const isOtherScreen = shownAddress.value.path !== currentPlace().path
  if (isOtherScreen) arrival = place
  shownAddress.value = currentPlace()
  if (isOtherScreen) scrollTo(0, 0)
}

/** Changes members of the query. Undefined or an empty text removes a member. */
export function setQuery(members: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(shownAddress.value.query)
  for (const [name, value] of Object.entries(members))
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  const search = query.toString()
  navigate(`${shownAddress.value.path}${search === '' ? '' : `?${search}`}`, { replace: true })
}

/** Makes links to other pages of the dashboard change the address without a page load. */
export function startRouter(): void {
  // The browser would scroll before there is anything to scroll to.
  history.scrollRestoration = 'manual'
  if (history.state !== null) arrival = placeIn(history.state)
  addEventListener('pagehide', () => keepPlace({ scroll_y: scrollY }))
  addEventListener('popstate', (event) => goTo(placeIn(event.state)))
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download')) return
    const isOurs = link.origin === location.origin && /^\/app(?:\/|$)/.test(link.pathname)
    if (!isOurs || link.pathname.startsWith('/app/assets/')) return
    // The browser handles links within this page: it moves the focus too.
    const isSamePage = link.pathname === location.pathname && link.search === location.search
    if (isSamePage && link.hash !== '') return
    event.preventDefault()
    navigate(`${link.pathname}${link.search}${link.hash}`)
  })
}
