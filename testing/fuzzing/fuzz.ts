import { changeBytes, KINDS_OF_CHANGE, TELLING_BYTES } from '../mutated-bytes.ts'
import type { SeededDraw } from '../seeded-draw.ts'
import type { BlockCoverage } from './block-coverage.ts'

/** A reader of untrusted bytes. */
export interface FuzzTarget {
  /** Valid documents, from which all inputs descend. */
  readonly seeds: readonly Uint8Array[]
  /** Words of the format, which random changes seldom produce. */
  readonly words?: readonly string[]
  /** Reads an input. True if accepted, false if refused with a declared error. Anything that it throws is a fault. */
  read(bytes: Uint8Array): boolean | Promise<boolean>
}

export interface FuzzReport {
  readonly inputs: number
  readonly accepted: number
  /** Inputs that reached something new. */
  readonly corpus: number
}

/** Coverage costs more than reading an input, so a batch shares it, and is rerun one by one if it reaches more. */
const BATCH = 64
const MAX_BYTES = 4_096
const MAX_CPU_MS = 2_000

/**
 * Reads inputs that descend from the seeds. An input that reaches a new block becomes a parent of others. Everything
 * follows from `draw`. Throws at the first input that is read wrongly, or for too long.
 */
export async function fuzz(
  target: FuzzTarget,
  coverage: BlockCoverage,
  draw: SeededDraw,
  inputs: number,
): Promise<FuzzReport> {
  const corpus = [...target.seeds]
  let accepted = 0
  for (const seed of corpus) if (await readOne(target, seed)) accepted += 1
  if (accepted !== corpus.length) throw new Error('a valid document is refused')
  coverage.take()
  for (let done = 0; done < inputs; done += BATCH) {
    const batch = Array.from({ length: BATCH }, () => descendant(corpus, target.words ?? [], draw))
    for (const bytes of batch) if (await readOne(target, bytes)) accepted += 1
    if (!coverage.hasNew()) continue
    for (const bytes of batch) {
      await readOne(target, bytes)
      if (coverage.take()) corpus.push(bytes)
    }
  }
  return { inputs, accepted, corpus: corpus.length }
}

async function readOne(target: FuzzTarget, bytes: Uint8Array): Promise<boolean> {
  const before = process.cpuUsage()
  const shown = () => Buffer.from(bytes).toString('base64')
  const isAccepted = await Promise.resolve(bytes)
    .then((input) => target.read(input))
    .catch((cause: unknown) => {
      throw new Error(`read wrongly: ${shown()}`, { cause })
    })
  const { user, system } = process.cpuUsage(before)
  if (user + system > MAX_CPU_MS * 1000) throw new Error(`took more than ${MAX_CPU_MS} ms: ${shown()}`)
  return isAccepted
}

/** Derives an input. Recent finds have more descendants, because they have been tried less. */
function descendant(corpus: readonly Uint8Array[], words: readonly string[], draw: SeededDraw): Uint8Array {
  const parent = draw.chance(0.5) ? draw.pick(corpus) : draw.pick(corpus.slice(-8))
  const bytes = [...parent]
  for (let changes = draw.between(1, 5); changes > 0; changes--) {
    const at = Math.floor(draw.share() * (bytes.length + 1))
    if (words.length > 0 && draw.chance(0.25))
      bytes.splice(at, draw.between(0, 8), ...Buffer.from(draw.pick(words)))
    else if (draw.chance(0.1)) {
      const other = draw.pick(corpus)
      const from = Math.floor(draw.share() * other.length)
      bytes.splice(at, draw.between(0, 64), ...other.subarray(from, from + draw.between(1, 64)))
    } else {
      const byte = draw.chance(0.5) ? draw.pick(TELLING_BYTES) : draw.between(0, 255)
      changeBytes(bytes, {
        kind: draw.between(0, KINDS_OF_CHANGE - 1),
        at,
        byte,
        length: draw.between(1, 64),
      })
    }
  }
  return Uint8Array.from(bytes.slice(0, MAX_BYTES))
}
