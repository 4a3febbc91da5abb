import type { EntryReader } from './entry-reader.ts'
import { readGeneric } from './generic.ts'
import { readOidc4Ida } from './oidc4ida.ts'
import { readOnfido } from './onfido.ts'
import { readPersona } from './persona.ts'
import type { OpenExternal } from './port.ts'
import { readSandbox } from './sandbox.ts'
import { readStripe } from './stripe.ts'
import { readVeriff } from './veriff.ts'

/** Reads the members that only this kind of provider has. Reports mistakes to the reader, and returns even then. */
type ReadExternal = (entry: EntryReader) => OpenExternal

/** Every kind of external provider, by the `kind` of its entries in the file. */
export const EXTERNAL_KINDS: Readonly<Record<string, ReadExternal>> = {
  sandbox: readSandbox,
  generic: readGeneric,
  onfido: readOnfido,
  persona: readPersona,
  stripe: readStripe,
  veriff: readVeriff,
  oidc4ida: readOidc4Ida,
}
