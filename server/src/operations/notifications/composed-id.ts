import { hash } from 'node:crypto'

/**
 * Returns a message ID derived from its channel and items. A repeated attempt has the same ID, and a message with more
 * items has a different one, so no receiver drops it as a duplicate.
 */
export function composedId(channel_id: string, items: readonly string[]): string {
  const [only = '', ...others] = items
  if (others.length === 0) return `${channel_id}.${only.replaceAll(' ', '.')}`
  return `${channel_id}.${hash('sha256', JSON.stringify(items), 'hex').slice(0, 32)}`
}
