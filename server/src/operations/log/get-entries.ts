import { joinEntries, TILE_WIDTH } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'
import { tileAt } from './log-tile.ts'

export const getEntries: Handler<'getEntries'> = async ({ params }, { reader }) => {
  const { index, width } = await tileAt('entries', params.index, reader)
  const start = index * TILE_WIDTH
  const leaves = await reader.log.leaves(start, start + width)
  return joinEntries(leaves.map((leaf) => Buffer.from(leaf)))
}
