/** Parts of the page that the person has opened. They stay open when the page is reloaded. */
const OPEN_KEY = 'deputy.people.open'

export function keepOpenParts(): void {
  const open = [...document.querySelectorAll<HTMLDetailsElement>('details.part[open]')].map(({ id }) => id)
  sessionStorage.setItem(OPEN_KEY, JSON.stringify(open))
}

/** Opens the parts that were open before, and the part that the address names. */
export function openParts(): void {
  const kept: string[] = JSON.parse(sessionStorage.getItem(OPEN_KEY) ?? '[]') // written by `keepOpenParts`
  sessionStorage.removeItem(OPEN_KEY)
  for (const id of kept) openPart(id)
  openAddressed()
  addEventListener('hashchange', openAddressed)
}

function openAddressed(): void {
  openPart(location.hash.slice(1))
}

function openPart(id: string): void {
  const part = document.getElementById(id)
  if (part instanceof HTMLDetailsElement) part.open = true
}
