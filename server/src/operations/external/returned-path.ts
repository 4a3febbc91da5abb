/** Returns where a provider sends people afterwards: a page that leads them back to the tab where they began. */
export function returnedPath(session_id: string): string {
  return `/verify-me/${session_id}/returned`
}
