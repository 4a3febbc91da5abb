import type { EntryReader } from './entry-reader.ts'
import { readGeneric } from './generic.ts'
import type { OpenExternal } from './port.ts'
import { readSandbox } from './sandbox.ts'

/** Reads the members that only this kind of provider has. Says mistakes through the reader, and returns all the same. */
type ReadExternal = (entry: EntryReader) => OpenExternal

/** Every kind of external provider, by the `kind` of its entries in the file. */
export const EXTERNAL_KINDS: Readonly<Record<string, ReadExternal>> = {
  sandbox: readSandbox,
  generic: readGeneric,
}
