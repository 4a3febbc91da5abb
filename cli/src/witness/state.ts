import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
import { makeDirectory, writeDurably } from '@deputize/server/data-directory'
import { StartError } from '../start-problems.ts'

const SUFFIX = '.checkpoint'
const EVIDENCE_DIRECTORY = 'evidence'
/** The most files for each log and kind of contradiction. Anyone can send old checkpoints, which must not fill the disk. */
const MAX_EVIDENCE = 1000

/** The last checkpoint that the witness cosigned for a log. */
export interface Sighting {
  readonly checkpoint: Checkpoint
  /** Signed by the log and by the witness. */
  readonly note: string
}

/** The durable state of a witness. Only one process may open it at a time. */
export interface WitnessState {
  last(origin: string): Sighting | undefined
  /** Durable when it returns. If it throws, the previous checkpoint stays the last one. */
  keep(sighting: Sighting): void
  /** Saves a contradiction as evidence and returns the file. Undefined if it is already known or the limit is reached. */
  keepEvidence(
    contradiction: Contradiction,
    origin: string,
    refused: AddCheckpoint,
    now_ms: number,
  ): string | undefined
}

/** The hash under which monitors request a log. */
export function originHash(origin: string): string {
  return hash('sha256', origin, 'hex')
}

/** Whether a witness has already cosigned a checkpoint in this directory. */
export function hasSeenLogs(directory: string): boolean {
  return existsSync(directory) && readdirSync(directory).some((file) => file.endsWith(SUFFIX))
}

/** Reads the last checkpoint of each log. Throws a StartError if this witness did not write a file. */
export async function openWitnessState(
  directory: string,
  witness: NoteKey,
  logs: readonly NoteKey[],
): Promise<WitnessState> {
  // Checkpoints and key share a directory: a power cut that loses the new directory loses the key too.
  const evidence = join(directory, EVIDENCE_DIRECTORY)
  makeDirectory(evidence)
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
    `${path} is not a checkpoint of ${origin} that this witness cosigned. Restore it from a backup; without it the witness could not detect a fork.`,
  ])
}
