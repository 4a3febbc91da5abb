import { registryRef } from './registry-ref.ts'

/** Somebody who changes or owns something, as the log names them: API keys by the reference to their registry entry. */
export function actorRef(actor: string): string {
  return actor.startsWith('key:') ? `key:${registryRef(actor.slice('key:'.length))}` : actor
}
