import { hash } from 'node:crypto'

/** What stands for the id of an entry of the registry in the log. */
export function registryRef(id: string): string {
  return `sha256:${hash('sha256', id)}`
}
