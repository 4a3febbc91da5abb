import { NoteError, readNote, type Signer, signersOf, vkeyOf, type WitnessStatus } from '@deputize/protocol'
import { isoInstant } from '../../domain/times/time.ts'
import type { WitnessCondition } from '../../log/witnesses.ts'
import type { StoredCheckpoint } from '../../store/port/log-reader.ts'
import type { Handler } from '../operation-context.ts'

/** How many checkpoints are searched for each witness's last cosignature. */
const CHECKPOINTS_LOOKED_AT = 100

export const listWitnesses: Handler<'listWitnesses'> = async (_call, context) => {
  const { reader } = context
  const { checkpointSigner, witnesses, witness_quorum } = context.log
  const published = checkpointSigner.published()
  const conditions = witnesses()
  const last = await lastCosignatures(conditions, published, context)
  const data = conditions.map((condition) =>
    statusOf(condition, last.get(vkeyOf(condition.key)), published?.size),
  )
  return {
    data,
    quorum: witness_quorum,
    cosigned: data.filter(({ cosigned_size }) => cosigned_size === published?.size).length,
    ...(published !== undefined && {
      checkpoint_size: published.size,
      checkpoint_signed_at: isoInstant(published.signed_at_ms),
    }),
    log_size: (await reader.log.head()).size,
  }
}

interface Cosigned {
  readonly size: number
  readonly time_s: number | undefined
}

/** Returns each witness's newest cosignature, by its key. The store holds those that any node received. */
async function lastCosignatures(
  conditions: readonly WitnessCondition[],
  published: StoredCheckpoint | undefined,
  { reader }: Parameters<typeof listWitnesses>[1],
): Promise<Map<string, Cosigned>> {
  const found = new Map<string, Cosigned>()
  if (published === undefined || conditions.length === 0) return found
  const page = { limit: CHECKPOINTS_LOOKED_AT, before: published.size }
  for (const checkpoint of [published, ...(await reader.log.checkpoints(page)).entries]) {
    for (const { key, time_s } of await cosignersOf(checkpoint, conditions))
      if (!found.has(vkeyOf(key))) found.set(vkeyOf(key), { size: checkpoint.size, time_s })
    if (found.size === conditions.length) break
  }
  return found
}

/** Returns the witnesses whose valid cosignature is on a stored checkpoint. */
async function cosignersOf(
  { note }: StoredCheckpoint,
  conditions: readonly WitnessCondition[],
): Promise<Signer[]> {
  const keys = conditions.map(({ key }) => key)
  return signersOf(readNote(note), keys).catch((error) => {
    if (error instanceof NoteError) return []
    throw error
  })
}

function statusOf(
  { key, url, was_asked, failing }: WitnessCondition,
  cosigned: Cosigned | undefined,
  newest: number | undefined,
): WitnessStatus {
  const state = stateOf(cosigned, newest, failing !== undefined, was_asked)
  return {
    name: key.name,
    vkey: vkeyOf(key),
    url,
    state,
    explanation: failing?.detail ?? EXPLANATIONS[state],
    ...(cosigned !== undefined && { cosigned_size: cosigned.size }),
    ...(cosigned?.time_s !== undefined && { cosigned_at: isoInstant(cosigned.time_s * 1000) }),
    ...(failing !== undefined && { failing_since: isoInstant(failing.since_ms), failure: failing.kind }),
  }
}

const EXPLANATIONS: Readonly<Record<WitnessStatus['state'], string>> = {
  ok: 'It cosigned the newest checkpoint.',
  behind: 'It cosigned an older checkpoint and is being asked for the newest.',
  failing: 'It did not cosign when it was last asked.',
  pending: 'It has not been asked yet.',
}

function stateOf(
  cosigned: Cosigned | undefined,
  newest: number | undefined,
  isFailing: boolean,
  was_asked: boolean,
): WitnessStatus['state'] {
  if (isFailing) return 'failing'
  if (cosigned !== undefined) return cosigned.size === newest ? 'ok' : 'behind'
  return was_asked ? 'behind' : 'pending'
}
