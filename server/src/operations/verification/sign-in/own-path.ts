/** Whether a text is a path of this service that no browser reads as another site. */
export function isOwnPath(path: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes('\\')) return false
  const here = 'http://here.invalid'
  const url = URL.parse(path, here)
  return url !== null && url.origin === here && `${url.pathname}${url.search}${url.hash}` === path
}
