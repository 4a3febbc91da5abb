import type { Handler } from '../operation-context.ts'
import { noSuchTile, tileAt } from './log-tile.ts'

export const getTile: Handler<'getTile'> = async ({ params }, { reader, log: { tree } }) => {
  const { level, index, width } = await tileAt(params.level, params.index, reader)
  if (level === 'entries') throw noSuchTile()
  return tree.hashes({ level, index, width })
}
