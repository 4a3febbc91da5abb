import { statfsSync } from 'node:fs'

const PLACE = '/dev/shm'
/** Containers often have only 64 MB there, which is too little. */
const NEEDED_BYTES = 2 * 1024 ** 3

/** A directory in memory, if this machine has a large one. */
export const memoryDisk: string | undefined = isLarge() ? PLACE : undefined

function isLarge(): boolean {
  try {
    const { bavail, bsize } = statfsSync(PLACE)
    return bavail * bsize >= NEEDED_BYTES
  } catch {
    return false // this system has no such disk
  }
}
