import { registryRef } from './registry-ref.ts'

/**
 * Returns the log's name for the person or key behind a change or an entry. An API key is named by its registry ref.
 */
export function actorRef(actor: string): string {
  return actor.startsWith('key:') ? `key:${registryRef(actor.slice('key:'.length))}` : actor
}
