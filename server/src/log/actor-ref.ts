import { registryRef } from './registry-ref.ts'

/** How the log names the person or key that changes or owns something. It names an API key by the reference to its entry. */
export function actorRef(actor: string): string {
  return actor.startsWith('key:') ? `key:${registryRef(actor.slice('key:'.length))}` : actor
}
