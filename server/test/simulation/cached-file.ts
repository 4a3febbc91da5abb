import { existsSync, readFileSync } from 'node:fs'
import type { SeededDraw } from '@deputize/testing/seeded-draw.ts'

const PAGE = 4096
const SECTOR = 512
const NOTHING = Buffer.alloc(0)

/** Bytes of a file, from `start` up to `end`. */
interface Part {
  readonly start: number
  readonly end: number
}

/** Pages that a sync has started to write. */
interface Writing {
  readonly content: Buffer
  readonly pages: readonly Part[]
}

export interface FileSync {
  end(): void
  /** Some of the sectors arrived. The others never will, unless their pages are written again. */
  fail(draw: SeededDraw): void
}

/**
 * What the disk holds of a file that the operating system caches. Pages reach the disk when they are synced. Before
 * that, a crash leaves any subset of their sectors, because a disk writes them in any order.
 */
export class CachedFile {
  readonly #path: string
  #durable: Buffer
  /**
   * The file when the last sync began. A page that hasn't changed since isn't written again, even if that sync failed.
   */
  #clean: Buffer
  #writing: Writing[] = []

  /** Assumes that the file is on disk as it is. */
  constructor(path: string) {
    this.#path = path
    this.#durable = contentOf(path)
    this.#clean = this.#durable
  }

  /** Notes that the file was synced by other means. */
  sync(): void {
    this.#durable = contentOf(this.#path)
    this.#clean = this.#durable
    this.#writing = []
  }

  /** Notes that the first bytes were written and synced, by other means and before all others. */
  syncFirst(bytes: number): void {
    this.#durable = overlaid(this.#durable, contentOf(this.#path), [{ start: 0, end: bytes }])
  }

  beginSync(): FileSync {
    const content = contentOf(this.#path)
    const before = this.#clean
    const writing = { content, pages: changedPages(content, before) }
    this.#clean = content
    this.#writing.push(writing)
    return {
      end: () => {
        const wasClean = this.#durable === before // nothing was lost or is still being written, so nothing needs copying
        for (const { content, pages } of this.#takeUpTo(writing))
          this.#durable = wasClean
            ? content
            : overlaid(this.#durable.subarray(0, content.length), content, pages)
      },
      fail: (draw) => {
        for (const { content, pages } of this.#takeUpTo(writing))
          this.#durable = overlaid(this.#durable, content, survivors(sectorsOf(pages), draw))
      },
    }
  }

  /** The content that a crash leaves. */
  afterCrash(draw: SeededDraw): Buffer {
    const content = contentOf(this.#path)
    const pages = [
      ...this.#writing.flatMap(({ pages }) => pages),
      ...changedPages(content, this.#clean),
    ].sort((a, b) => a.start - b.start)
    return overlaid(this.#durable, content, survivors(sectorsOf(pages), draw))
  }

  /** A sync also waits for what earlier ones started to write. If that fails, any one of them reports it. */
  #takeUpTo(last: Writing): Writing[] {
    return this.#writing.splice(0, this.#writing.indexOf(last) + 1)
  }
}

function contentOf(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : NOTHING
}

function overlaid(base: Buffer, content: Buffer, parts: readonly Part[]): Buffer {
  const ends = parts.map(({ end }) => Math.min(end, content.length))
  const result = Buffer.alloc(Math.max(base.length, ...ends))
  base.copy(result)
  for (const { start, end } of parts) content.copy(result, start, start, end)
  return result
}

function changedPages(content: Buffer, before: Buffer): Part[] {
  const pages: Part[] = []
  for (let start = 0; start < content.length; start += PAGE) {
    const end = Math.min(start + PAGE, content.length)
    if (!content.subarray(start, end).equals(before.subarray(start, end))) pages.push({ start, end })
  }
  return pages
}

function sectorsOf(pages: readonly Part[]): Part[] {
  return pages.flatMap(({ start, end }) =>
    Array.from({ length: Math.ceil((end - start) / SECTOR) }, (_, index) => ({
      start: start + index * SECTOR,
      end: Math.min(start + (index + 1) * SECTOR, end),
    })),
  )
}

/** The sectors that arrived: all, none, all but one, any subset, or all up to a byte. */
function survivors(sectors: readonly Part[], draw: SeededDraw): Part[] {
  const at = draw.between(0, sectors.length)
  switch (draw.pick(['all', 'none', 'all but one', 'any', 'cut', 'cut'] as const)) {
    case 'all':
      return [...sectors]
    case 'none':
      return []
    case 'all but one':
      return sectors.filter((_, index) => index !== at)
    case 'any':
      return sectors.filter(() => draw.chance(0.5))
    case 'cut': {
      const cut = sectors[at]
      const torn = cut && { start: cut.start, end: draw.between(cut.start, cut.end) }
      return [...sectors.slice(0, at), ...(torn === undefined ? [] : [torn])]
    }
  }
}
