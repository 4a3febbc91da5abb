import { encodeBase64 } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listCheckpoints: Handler<'listCheckpoints'> = async ({ query }, { reader }) =>
  pageAnswer(await reader.log.checkpoints(pageRequest(query)), ({ size, root, signed_at_ms, note }) => ({
    size,
    root_hash: encodeBase64(root),
    signed_at: isoInstant(signed_at_ms),
    note,
  }))
