import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'

/** The resources of this node's machine. */
export interface Machine {
  readonly memory_bytes: number
  readonly disk?: { readonly free_bytes: number; readonly total_bytes: number }
  /** Size of what is committed but not yet in the store file. */
  readonly wal_bytes?: number
}

/** Measures the memory of this process, and the disk of a folder. The folder is undefined if the data is elsewhere. */
export async function measureMachine(folder: string | undefined): Promise<Machine> {
  const memory_bytes = process.memoryUsage.rss()
  if (folder === undefined) return { memory_bytes }
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    const disk = { free_bytes: bavail * bsize, total_bytes: blocks * bsize }
    const wal = await stat(join(folder, 'deputy.db-wal')).catch(() => undefined)
    return { memory_bytes, disk, ...(wal !== undefined && { wal_bytes: wal.size }) }
  } catch {
    return { memory_bytes } // some file systems don't report it
  }
}
