import { UsageError } from '../client/exit.ts'
import type { Environment } from '../environment.ts'

/** Whether a text is the URL of a PostgreSQL database. */
export function isDatabaseUrl(url: string): boolean {
  const parsed = URL.parse(url)
  if (parsed === null) return false
  const isPostgres = parsed.protocol === 'postgres:' || parsed.protocol === 'postgresql:'
  return isPostgres && parsed.hostname !== '' && parsed.pathname.length > 1
}

/** The database named by the option or the environment. Undefined if only a directory is named explicitly. */
export function databaseOf(
  data: string | undefined,
  database: string | undefined,
  env: Environment,
): string | undefined {
  const url = database ?? (data === undefined ? env.DEPUTY_DATABASE_URL : undefined)
  if (url !== undefined && !isDatabaseUrl(url))
    throw new UsageError('--database must be a URL like postgres://user:password@host:5432/deputy.')
  return url
}
