/**
 * The file of external identity providers:
 *
 *     {"providers": [{"name": "id-check", "kind": "stripe", "level": "L2", "tenant_id": "default", …}]}
 *
 * The members after these depend on the kind. A secret is in a file of its own, which a member `…_file` names.
 */
import { JsonError, readJson } from '@deputize/protocol'
import { type EntryMembers, type EntryReader, entryMembers, entryReader } from './entry-reader.ts'
import { EXTERNAL_KINDS } from './kinds.ts'
import { EXTERNAL_LEVELS, type ExternalLevel, type OpenExternal } from './port.ts'

/** A provider as the operator configured it. */
export interface ExternalEntry {
  /** In paths, tokens and tenant settings. */
  readonly name: string
  readonly kind: string
  /** The tenant that may use it. */
  readonly tenant_id: string
  /** The level that its pass gives. */
  readonly level: ExternalLevel
  /** Whether it may be used in keyed mode. A sandbox needs a word in the file for that. */
  readonly is_for_keyed: boolean
  readonly open: OpenExternal
}

export interface ExternalsRead {
  readonly entries: readonly ExternalEntry[]
  /** Every mistake with its fix, in sentences without secrets. */
  readonly problems: readonly string[]
}

const NAME = /^[a-z][a-z0-9-]{0,39}$/
const FORM = '{"providers": [{"name": ..., "kind": ..., "level": ...}]}'

type SayProblem = (problem: string) => void

/** `secretOf` reads a secret file. One mistake means no providers at all. */
export function readExternals(text: string, secretOf: (file: string) => string): ExternalsRead {
  const problems: string[] = []
  const say: SayProblem = (problem) => problems.push(problem)
  const entries = listedEntries(text, say).map((entry, index) => entryOf(entry, index, secretOf, say))
  const names = entries.map(({ name }) => name)
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index)))
    say(`Two providers are named "${name}". Give each a name of its own.`)
  return { entries: problems.length === 0 ? entries : [], problems }
}

function listedEntries(text: string, say: SayProblem): EntryMembers[] {
  const document = parsedDocument(text, say)
  if (document === undefined) return []
  const { providers, ...others } = entryMembers(document) ?? {}
  for (const name of Object.keys(others))
    say(`Unknown member "${name}". The file has a single member, "providers".`)
  const entries = Array.isArray(providers) ? providers.map(entryMembers) : []
  if (!Array.isArray(providers) || entries.includes(undefined)) say(`The file must have the form ${FORM}.`)
  return entries.filter((entry) => entry !== undefined)
}

function parsedDocument(text: string, say: SayProblem): unknown {
  try {
    return readJson(text)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    say(`The file is not valid JSON: ${error.message}`)
    return undefined
  }
}

function entryOf(
  members: EntryMembers,
  index: number,
  secretOf: (file: string) => string,
  tell: SayProblem,
): ExternalEntry {
  const { name: called } = members
  const place = typeof called === 'string' && NAME.test(called) ? `Provider ${called}` : `providers[${index}]`
  const entry = entryReader(members, secretOf, (problem) => tell(`${place}: ${problem}`))
  const common = commonMembers(entry)
  const read = EXTERNAL_KINDS[common.kind]
  // Without its kind, nobody knows which other members an entry has.
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
  // Tokens name the provider, and nobody may take a sandbox for another one.
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

/** A file with a problem opens nothing. */
function neverOpened(): never {
  throw new Error('a provider of an unknown kind cannot be opened')
}
