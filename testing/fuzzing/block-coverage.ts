import { type Profiler, Session } from 'node:inspector'

/** The characters of a source that have run, and where its blocks begin and end. */
interface SourceCoverage {
  readonly ran: Uint8Array
  readonly edges: Set<number>
}

/**
 * Tracks which blocks of some sources have run, as counted by V8. Only sources loaded after `start` are counted block
 * by block, and only if they don't come from a compile cache.
 */
export class BlockCoverage {
  readonly #session = new Session()
  readonly #isWanted: (url: string) => boolean
  readonly #sources = new Map<string, SourceCoverage>()

  private constructor(sources: readonly string[]) {
    this.#isWanted = (url) => sources.some((source) => url.endsWith(source))
  }

  /** `sources` are the endings of their URLs. */
  static start(sources: readonly string[]): BlockCoverage {
    const coverage = new BlockCoverage(sources)
    coverage.#session.connect()
    coverage.#session.post('Profiler.enable')
    coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    return coverage
  }

  /** Adds what ran since the last call. True if a block ran that was never added before. */
  take(): boolean {
    let hasNew = false
    for (const script of this.#scripts()) {
      const source = this.#sourceOf(script)
      for (const [place, ran] of ranIn(script, source.ran.length).entries()) {
        if (ran === 0 || source.ran[place] === 1) continue
        source.ran[place] = 1
        hasNew = true
      }
    }
    return hasNew
  }

  /** Whether a block ran since the last call that was never added. Adds nothing. */
  hasNew(): boolean {
    return this.#scripts().some((script) => {
      const { ran } = this.#sourceOf(script)
      return ranIn(script, ran.length).some((now, place) => now === 1 && ran[place] === 0)
    })
  }

  /** Number of blocks that have run, and of all known blocks. */
  blocks(): { readonly reached: number; readonly known: number } {
    let reached = 0
    let known = 0
    for (const { ran, edges } of this.#sources.values()) {
      known += edges.size
      for (const edge of edges) reached += ran[edge] ?? 0
    }
    return { reached, known }
  }

  #scripts(): readonly Profiler.ScriptCoverage[] {
    let scripts: readonly Profiler.ScriptCoverage[] = []
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      scripts = result.filter(({ url }) => this.#isWanted(url))
    })
    return scripts
  }

  #sourceOf({ url, functions }: Profiler.ScriptCoverage): SourceCoverage {
    const ranges = functions.flatMap((one) => one.ranges)
    const length = Math.max(0, ...ranges.map(({ endOffset }) => endOffset))
    const known = this.#sources.get(url) ?? { ran: new Uint8Array(), edges: new Set() }
    const source = { ...known, ran: known.ran.length < length ? grown(known.ran, length) : known.ran }
    for (const { startOffset } of ranges) source.edges.add(startOffset)
    this.#sources.set(url, source)
    return source
  }
}

/** Marks the characters that ran. Ranges are nested: an inner range follows its outer range and overrides it. */
function ranIn({ functions }: Profiler.ScriptCoverage, length: number): Uint8Array {
  const ran = new Uint8Array(length)
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges)
      ran.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return ran
}

function grown(bytes: Uint8Array, length: number): Uint8Array {
  const longer = new Uint8Array(length)
  longer.set(bytes)
  return longer
}
