import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { type SeededDraw, seededDraw } from '@deputize/testing/seeded-draw.ts'

const SECTOR = 512
const PAGE = 4096

/** Turns one sector of what was not synced into zeros: the disk wrote what follows it first. */
export function loseSector(log: string, synced: number, draw: SeededDraw): void {
  const share = draw.share()
  const { size } = statSync(log)
  const first = Math.ceil(synced / SECTOR)
  const last = Math.floor(size / SECTOR) - 1
  if (last < first) return
  const handle = openSync(log, 'r+')
  writeSync(
    handle,
    new Uint8Array(SECTOR),
    0,
    SECTOR,
    (first + Math.floor(share * (last - first + 1))) * SECTOR,
  )
  closeSync(handle)
}

/**
 * Starts a process that moves the pages of the log into the file, and ends it while it does: any of them have arrived, and
 * the log is still there.
 */
export function tornCheckpoint(file: string, draw: SeededDraw, start: () => { close(): unknown }): void {
  const drawPage = seededDraw(draw.between(0, 2 ** 32 - 1)) // how many pages there are must not change what follows
  const before = readFileSync(file)
  const log = readFileSync(`${file}-wal`)
  const process = start()
  const pages = readFileSync(file)
  void process.close() // what it writes is replaced
  for (let at = 0; at < before.length; at += PAGE)
    if (drawPage.chance(0.5)) before.copy(pages, at, at, at + PAGE)
  writeFileSync(file, pages)
  writeFileSync(`${file}-wal`, log)
  rmSync(`${file}-shm`, { force: true })
}
