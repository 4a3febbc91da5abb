/**
 * The file of external verification providers:
 *
 *     {"providers": [{"name": "id-check", "kind": "stripe", "level": "L2", "tenant_id": "default", …}]}
 *
 * The other members depend on the kind. Each secret is in a separate file, which a member `…_file` names.
 */
import { type JsonMembers, listedProviders, type SayProblem, sayRepeatedNames } from '../providers-file.ts'
import { type EntryReader, entryReader } from './entry-reader.ts'
import { EXTERNAL_KINDS } from './kinds.ts'
import { EXTERNAL_LEVELS, type ExternalLevel, type OpenExternal } from './port.ts'

/** A provider as the operator configured it. */
export interface ExternalEntry {
  /** Used in paths, tokens and tenant settings. */
  readonly name: string
  readonly kind: string
  /** The tenant that may use it. */
  readonly tenant_id: string
  /** The level that its pass gives. */
  readonly level: ExternalLevel
  /** Whether it may be used in keyed mode. A sandbox needs `nobody_is_verified` in the file for that. */
  readonly is_for_keyed: boolean
  readonly open: OpenExternal
}

export interface ExternalsRead {
  readonly entries: readonly ExternalEntry[]
  /** Every mistake with its fix, in sentences without secrets. */
  readonly problems: readonly string[]
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/
const IDENTITY_FORM = '{"name": ..., "kind": ..., "level": ...}'

/** Parses the file. `secretOf` reads a secret file. One mistake means no providers at all. */
export function readExternals(text: string, secretOf: (file: string) => string): ExternalsRead {
  const problems: string[] = []
  const say: SayProblem = (problem) => problems.push(problem)
  const listed = listedProviders(text, IDENTITY_FORM, say)
  const entries = listed.map((entry, index) => entryOf(entry, index, secretOf, say))
  sayRepeatedNames(entries, say)
  return { entries: problems.length === 0 ? entries : [], problems }
}

function entryOf(
  members: JsonMembers,
  index: number,
  secretOf: (file: string) => string,
  tell: SayProblem,
): ExternalEntry {
  const { name: called } = members
  const place = typeof called === 'string' && NAME.test(called) ? `Provider ${called}` : `providers[${index}]`
  const entry = entryReader(members, secretOf, (problem) => tell(`${place}: ${problem}`))
  const common = commonMembers(entry)
  const read = EXTERNAL_KINDS[common.kind]
  // The kind decides which other members an entry has.
  if (read === undefined) return { ...common, open: neverOpened }
  const open = read(entry)
  entry.refuseUnread()
  return { ...common, open }
}

function commonMembers(entry: EntryReader): Omit<ExternalEntry, 'open'> {
  const name = entry.text(
    'name',
    NAME,
    'be 1 to 40 lowercase letters, digits and hyphens, starting with a letter',
  )
  if (name === 'builtin') entry.say('name must not be "builtin", which is the engine of this service.')
  const kinds = Object.keys(EXTERNAL_KINDS)
  const kind = entry.text('kind', new RegExp(`^(?:${kinds.join('|')})$`), `be one of ${kinds.join(', ')}`)
  const isSandbox = kind === 'sandbox'
  // Tokens name the provider, and a sandbox must not be mistaken for a real one.
  if (name !== '' && kind !== '' && name.startsWith('sandbox') !== isSandbox)
    entry.say('name must begin with "sandbox" for the kind sandbox, and for no other.')
  return {
    name,
    kind,
    is_for_keyed: !isSandbox || entry.flag('nobody_is_verified'),
    tenant_id: entry.text('tenant_id', NAME, 'be the ID of a tenant', 'default'),
    level: entry.oneOf('level', EXTERNAL_LEVELS),
  }
}

/** Never called, because a file with a problem opens nothing. */
function neverOpened(): never {
  throw new Error('a provider of an unknown kind cannot be opened')
}
