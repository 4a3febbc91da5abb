import { hash } from 'node:crypto'

/**
 * Names a message by its channel and by everything that it tells of: an attempt that is repeated has the same name, and one
 * that tells of more has another, so that no receiver drops it as a repeat.
 */
export function composedId(channel_id: string, items: readonly string[]): string {
  const [only = '', ...others] = items
  if (others.length === 0) return `${channel_id}.${only.replaceAll(' ', '.')}`
  return `${channel_id}.${hash('sha256', JSON.stringify(items), 'hex').slice(0, 32)}`
}
