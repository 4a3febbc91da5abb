import { createHash } from 'node:crypto'
import type { ExternalParts, ExternalProvider } from './port.ts'
import type { ExternalEntry } from './read-external.ts'

/** A configured provider that can be called. */
export interface OpenedExternal extends Omit<ExternalEntry, 'open'> {
  readonly provider: ExternalProvider
}

export interface ExternalProviders {
  readonly list: readonly OpenedExternal[]
  find(name: string): OpenedExternal | undefined
}

export function openExternals(
  entries: readonly ExternalEntry[],
  parts: Omit<ExternalParts, 'name'>,
): ExternalProviders {
  const list = entries.map(({ open, ...entry }) => ({
    ...entry,
    provider: open({ ...parts, name: entry.name }),
  }))
  return { list, find: (name) => list.find((one) => one.name === name) }
}

/** Returns the name of a check in the registry. It reveals neither the provider nor the ID there. */
export function checkId(provider: string, external_id: string): string {
  return createHash('sha256').update(`${provider} ${external_id}`).digest('hex')
}

/** Returns the path that a provider posts its callbacks to. */
export function callbackPath(name: string): string {
  return `/v1/vat/auth/providers/${name}/callback`
}
