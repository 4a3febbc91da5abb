import type { AccessMode } from '../domain/access-mode.ts'
import { ExpectedFailure } from '../expected-failure.ts'
import { ACCESS_ENTRY, type RegistryReader } from '../store/port/registry.ts'
import { LOCAL_CALLER } from './caller.ts'
import type { ApiKeyDocument } from './key-holders.ts'
import type { PasskeyDocument } from './passkey-document.ts'

const WATCH_EVERY_MS = 5_000
const MOST_ENTRIES = 200

/** Returns the mode that the store is marked with, or undefined if it was never keyed or is from an earlier version. */
export async function markedMode(registry: RegistryReader): Promise<AccessMode | undefined> {
  const document = (await registry.entry(ACCESS_ENTRY.kind, ACCESS_ENTRY.id))?.document
  if (document === undefined) return undefined
  const { mode }: { mode: AccessMode } = JSON.parse(document) // only the clerk writes this entry
  return mode
}

/** Whether the store was used in keyed mode. Earlier versions left no mark, only keys of keyed mode or passkeys. */
export async function wasKeyed(registry: RegistryReader): Promise<boolean> {
  const marked = await markedMode(registry)
  if (marked !== undefined) return marked === 'keyed'
  const page = { limit: MOST_ENTRIES, before: undefined }
  const { entries: keys } = await registry.list('api_key', {}, page)
  const isKeyOfKeyedMode = ({ created_by }: ApiKeyDocument) => created_by !== LOCAL_CALLER.name
  if (keys.some(({ document }) => isKeyOfKeyedMode(JSON.parse(document)))) return true
  const { entries: passkeys } = await registry.list('passkey', {}, page)
  const isPasskeyOfKeyedMode = ({ made_in_open_mode }: PasskeyDocument) => made_in_open_mode === undefined
  return passkeys.some(({ document }) => isPasskeyOfKeyedMode(JSON.parse(document)))
}

/** Another node has changed the mode of the store that this one serves. */
class AccessModeChanged extends ExpectedFailure {
  override readonly name = 'AccessModeChanged'
}

/** Reports when another node changes the mode: a node in open mode must not keep serving a store that is now keyed. */
export function watchAccessMode(
  registry: RegistryReader,
  mode: AccessMode,
  onChanged: (cause: Error) => void,
): { close(): void } {
  const timer = setInterval(async () => {
    const marked = await markedMode(registry).catch(() => mode) // an unreachable store is reported elsewhere
    if (marked === undefined || marked === mode) return
    onChanged(
      new AccessModeChanged(
        `Another node has changed this deployment to ${marked} mode, and this node runs in ${mode} mode. Restart it with DEPUTY_ACCESS=${marked}.`,
      ),
    )
  }, WATCH_EVERY_MS)
  return { close: () => clearInterval(timer) }
}
