import { AuthorityError, hashesAt, readTilePath, TILE_WIDTH, type Tile } from '@deputize/protocol'
import type { ReadStore } from '../../store/port.ts'

/** Returns the tile at an address. Refuses an address that names more hashes than the log has. */
export async function tileAt(level: string, index: string, { log }: ReadStore): Promise<Tile> {
  const tile = readTilePath(level, index)
  if (tile === undefined) throw noSuchTile()
  const { size } = await log.head()
  if (tile.index * TILE_WIDTH + tile.width > hashesAt(tile.level === 'entries' ? 0 : tile.level, size))
    throw new AuthorityError('log_entry_unknown')
  return tile
}

export function noSuchTile(): AuthorityError {
  return new AuthorityError('not_found', "This isn't a tile address. See the tlog-tiles specification.")
}
