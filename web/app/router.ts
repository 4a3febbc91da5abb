/** Addresses below /app. The address is the state: filters stand in the query, so every view can be shared. */
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

export function navigate(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  const isOtherPage = shownAddress.value.path !== currentPlace().path
  shownAddress.value = currentPlace()
  if (isOtherPage) scrollTo(0, 0)
}

/** Changes members of the query. Undefined removes one. */
export function setQuery(members: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(shownAddress.value.query)
  for (const [name, value] of Object.entries(members))
    if (value === undefined || value === '') query.delete(name)
    else query.set(name, value)
  const search = query.toString()
  navigate(`${shownAddress.value.path}${search === '' ? '' : `?${search}`}`, { replace: true })
}

/** Links to other pages of the dashboard change the address without a page load. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    shownAddress.value = currentPlace()
  })
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link === null || link.target !== '' || link.hasAttribute('download')) return
    const isOurs = link.origin === location.origin && /^\/app(?:\/|$)/.test(link.pathname)
    if (!isOurs || link.pathname.startsWith('/app/assets/')) return
    // Another place on this page is the browser's to find: it moves the focus there too.
    const isSamePage = link.pathname === location.pathname && link.search === location.search
    if (isSamePage && link.hash !== '') return
    event.preventDefault()
    navigate(`${link.pathname}${link.search}${link.hash}`)
  })
}
