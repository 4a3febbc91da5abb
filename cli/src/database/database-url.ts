/** Whether a text is the URL of a PostgreSQL database. */
export function isDatabaseUrl(url: string): boolean {
  const parsed = URL.parse(url)
  if (parsed === null) return false
  const isPostgres = parsed.protocol === 'postgres:' || parsed.protocol === 'postgresql:'
  return isPostgres && parsed.hostname !== '' && parsed.pathname.length > 1
}
