import { encodeBase64, invalidField } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { assertLogSize } from './log-size.ts'
import { publishedCheckpoint } from './published-checkpoint.ts'

export const getConsistencyProof: Handler<'getConsistencyProof'> = async ({ query }, context) => {
  const { tree } = context.log
  const { from, to = publishedCheckpoint(context).size } = query
  if (from > to) throw invalidField('?from', `must not be greater than to, which is ${to}`)
  await assertLogSize(to, context)
  const proof = await tree.consistencyProof(from, to)
  return {
    from,
    to,
    from_root_hash: encodeBase64(await tree.rootAt(from)),
    to_root_hash: encodeBase64(await tree.rootAt(to)),
    proof: proof.map(encodeBase64),
  }
}
