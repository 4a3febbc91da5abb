import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AddCheckpoint,
  type Checkpoint,
  CheckpointError,
  type Contradiction,
  encodeBase64,
  NoteError,
  type NoteKey,
  readCheckpoint,
  readNote,
  signersOf,
} from '@deputize/protocol'
import { writeDurably } from '@deputize/server'
import { StartError } from './settings.ts'

const SUFFIX = '.checkpoint'
const EVIDENCE = 'evidence'
/** For each log and kind of contradiction: old checkpoints can be sent by anybody, and must not fill the disk. */
const MAX_EVIDENCE = 1000

/** The last checkpoint that the witness cosigned for a log. */
export interface Sighting {
  readonly checkpoint: Checkpoint
  /** With the signatures of the log and of the witness. */
  readonly note: string
}

/** What a witness must never forget. One process has it at a time. */
export interface Memory {
  last(origin: string): Sighting | undefined
  /** Durable when it returns. When it throws, what was last stays last. */
  keep(sighting: Sighting): void
  /** Keeps a contradiction as evidence and answers the file; undefined when it is known, or one of too many. */
  keepEvidence(
    contradiction: Contradiction,
    origin: string,
    refused: AddCheckpoint,
    now_ms: number,
  ): string | undefined
}

/** The name under which monitors ask for a log. */
export function originHash(origin: string): string {
  return hash('sha256', origin, 'hex')
}

/** Whether a witness has already cosigned something with the key of this directory. */
export function hasSeenLogs(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).some((file) => file.endsWith(SUFFIX))
}

/** Reads what was seen of the logs. Throws a StartError when a file is not what this witness wrote. */
export async function openMemory(
  directory: string,
  witness: NoteKey,
  logs: readonly NoteKey[],
): Promise<Memory> {
  // All checkpoints lie beside the key: a power cut that takes the new directory takes the key with it.
  const evidence = join(directory, EVIDENCE)
  mkdirSync(evidence, { recursive: true, mode: 0o700 })
  const sightings = new Map<string, Sighting>()
  for (const { name } of logs) {
    const sighting = await readSighting(pathOf(name), name, witness)
    if (sighting !== undefined) sightings.set(name, sighting)
  }

  function pathOf(origin: string): string {
    return join(directory, `${originHash(origin)}${SUFFIX}`)
  }

  return {
    last: (origin) => sightings.get(origin),
    keep(sighting) {
      const { origin } = sighting.checkpoint
      writeDurably(pathOf(origin), sighting.note)
      sightings.set(origin, sighting)
    },
    keepEvidence(contradiction, origin, refused, now_ms) {
      const kind = `${contradiction}-${originHash(origin).slice(0, 16)}-`
      const file = `${kind}${hash('sha256', readNote(refused.note).text, 'hex').slice(0, 32)}.json`
      const path = join(evidence, file)
      if (existsSync(path)) return undefined
      if (readdirSync(evidence).filter((name) => name.startsWith(kind)).length >= MAX_EVIDENCE)
        return undefined
      const proof = refused.proof.map(encodeBase64)
      const content = {
        version: 1,
        contradiction,
        origin,
        received_at: new Date(now_ms).toISOString(),
        cosigned: sightings.get(origin)?.note ?? null,
        refused: { old_size: refused.old_size, proof, note: refused.note },
      }
      writeDurably(path, `${JSON.stringify(content, undefined, 2)}\n`)
      return path
    },
  }
}

async function readSighting(path: string, origin: string, witness: NoteKey): Promise<Sighting | undefined> {
  if (!existsSync(path)) return undefined
  const note = readFileSync(path, 'utf8')
  try {
    const parts = readNote(note)
    await signersOf(parts, [witness])
    const checkpoint = readCheckpoint(parts.text)
    if (checkpoint.origin === origin) return { checkpoint, note }
  } catch (error) {
    if (!(error instanceof NoteError || error instanceof CheckpointError)) throw error
  }
  throw new StartError([
    `${path} is not a checkpoint of ${origin} that this witness cosigned. Restore it from a backup: without it the witness would not notice a fork.`,
  ])
}
