import type { Leaf } from '../../log/leaf.ts'
import { REGISTRY_KINDS, type RegistryKind } from '../../store/port.ts'
import { humanOf, type Place, type Story, type Telling, type ToldEntry, wordsOf } from './expected.ts'
import { LeafError, optionalTextIn, textIn } from './leaf-reader.ts'

/** Something was entered into the registry, replaced or removed. */
export function tellRegistry(leaf: Leaf, { log_index }: Place, story: Story, telling: Telling): void {
  const kind = kindIn(leaf)
  const key = entryKey(kind, textIn(leaf, 'id_ref'))
  const tenant_id = textIn(leaf, 'tenant_id')
  const owner = optionalTextIn(leaf, 'human_ref')
  const digest = optionalTextIn(leaf, 'document_digest')
  if ((digest === undefined) !== (leaf.removed === true))
    telling.wrong.push('neither enters something nor removes it')
  const known = story.registry.get(key)
  const isThere = known !== undefined && isKept(known, story)
  if (digest === undefined && !isThere) telling.wrong.push('removes what is not in the registry')
  if (isThere && (known.tenant_id !== tenant_id || known.owner !== owner))
    telling.wrong.push('gives an entry of the registry to another tenant or person')
  if (owner !== undefined) humanOf(story, owner)
  const document = wordsOf(story, owner, 'document', digest, log_index)
  story.registry.set(key, { kind, log_index, tenant_id, owner, document })
}

/** Neither removed nor of somebody who was erased since. */
function isKept({ document, owner, log_index }: ToldEntry, story: Story): boolean {
  if (document === undefined) return false
  const erased_at = owner === undefined ? undefined : story.humans.get(owner)?.erased_at
  return !erased_at?.some((index) => index > log_index)
}

function kindIn(leaf: Leaf): RegistryKind {
  const named = textIn(leaf, 'kind')
  const kind = REGISTRY_KINDS.find((one) => one === named)
  if (kind === undefined) throw new LeafError('tells of a kind of entry that there is not')
  return kind
}

/** How the story names an entry: leaves know only what stands for its id. */
export function entryKey(kind: string, id_ref: string): string {
  return `${kind} ${id_ref}`
}
