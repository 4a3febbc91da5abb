import { hash } from 'node:crypto'

/** Returns the reference to a registry entry in the log. */
export function registryRef(id: string): string {
  return `sha256:${hash('sha256', id)}`
}
