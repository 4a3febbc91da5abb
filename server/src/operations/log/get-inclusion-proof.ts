import { AuthorityError, encodeBase64 } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { assertLogSize } from './log-size.ts'
import { publishedCheckpoint } from './published-checkpoint.ts'

export const getInclusionProof: Handler<'getInclusionProof'> = async ({ query }, context) => {
  const { reader } = context
  const { tree } = context.log
  const { index, size = publishedCheckpoint(context).size } = query
  await assertLogSize(size, context)
  if (index >= size)
    throw new AuthorityError('log_entry_unknown', `A tree of size ${size} does not contain entry ${index}.`)
  const [leaf_hash] = await reader.log.leafHashes(index, index + 1)
  if (leaf_hash === undefined) throw new AuthorityError('log_entry_unknown')
  const proof = await tree.inclusionProof(index, size)
  return {
    index,
    size,
    leaf_hash: encodeBase64(leaf_hash),
    root_hash: encodeBase64(await tree.rootAt(size)),
    proof: proof.map(encodeBase64),
  }
}
