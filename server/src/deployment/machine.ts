import { statfs } from 'node:fs/promises'

/** What the machine of this node has left. */
export interface Machine {
  readonly memory_bytes: number
  readonly disk?: { readonly free_bytes: number; readonly total_bytes: number }
}

/** Measures memory of this process, and the disk below a folder. Undefined folder: the data is elsewhere. */
export async function measureMachine(folder: string | undefined): Promise<Machine> {
  const memory_bytes = process.memoryUsage.rss()
  if (folder === undefined) return { memory_bytes }
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { memory_bytes, disk: { free_bytes: bavail * bsize, total_bytes: blocks * bsize } }
  } catch {
    return { memory_bytes } // some file systems do not tell
  }
}
