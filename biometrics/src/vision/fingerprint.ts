import { createHash } from 'node:crypto'
import type { Picture } from './picture.ts'

const COLUMNS = 16
const ROWS = 12

/**
 * Returns a hash that is equal for frames with the same picture, whatever their metadata: over the mean brightness of
 * 192 cells, rounded. Camera noise makes two frames of a motionless person differ in many cells.
 */
export function fingerprintOf(picture: Picture): string {
  const cells = new Uint8Array(COLUMNS * ROWS)
  for (let cell = 0; cell < cells.length; cell++) cells[cell] = Math.round(cellMean(picture, cell))
  return createHash('sha256').update(cells).digest('hex').slice(0, 12)
}

function cellMean({ width, height, rgb }: Picture, cell: number): number {
  const left = Math.floor(((cell % COLUMNS) * width) / COLUMNS)
  const right = Math.floor((((cell % COLUMNS) + 1) * width) / COLUMNS)
  const top = Math.floor((Math.floor(cell / COLUMNS) * height) / ROWS)
  const bottom = Math.floor(((Math.floor(cell / COLUMNS) + 1) * height) / ROWS)
  let sum = 0
  for (let y = top; y < bottom; y++) {
    for (let i = (y * width + left) * 3; i < (y * width + right) * 3; i++) sum += rgb[i] ?? 0
  }
  return sum / ((right - left) * (bottom - top) * 3)
}
