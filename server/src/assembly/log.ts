import { decodeFrontier, encodeBase64, type Frontier } from '@deputize/protocol'
import type { ProbeOutcome } from '../clerk/batch-state.ts'
import type { Clerk } from '../clerk/clerk.ts'
import type { Config } from '../config.ts'
import { assertExtends, hasLostFile, openCheckpointFile } from '../log/checkpoint-file.ts'
import { type CheckpointSigner, openCheckpointSigner } from '../log/checkpoint-signer.ts'
import { LogScrub } from '../log/log-scrub.ts'
import { type LogTree, logTree } from '../log/tree.ts'
import { openWitnesses, type TroubleKind, type Witnesses } from '../log/witnesses.ts'
import type { Parts } from './parts.ts'

/** A cluster node may be one checkpoint behind its peers when a witness answers, so `ahead` is serious only alone. */
const SERIOUS_TROUBLE = {
  alone: ['ahead', 'contradicted'],
  in_cluster: ['contradicted'],
} as const satisfies Record<string, readonly TroubleKind[]>

/** What reads the log, reads it back, cosigns it and signs it. */
interface LogParts {
  readonly tree: LogTree
  readonly scrub: LogScrub
  readonly witnesses: Witnesses
  readonly checkpointSigner: CheckpointSigner
}

/** Opens the log. Throws if it lacks entries that were signed earlier. */
export async function logOf(config: Config, parts: Parts, clerk: Clerk): Promise<LogParts> {
  const { deployment, clock, logger } = parts
  const tree = logTree(deployment.reader.log)
  const scrub = new LogScrub({
    reader: deployment.reader.log,
    clock,
    onDamage: (detail) => logger.error({ detail }, 'the stored log is damaged'),
  })
  const witnesses = witnessesOf(config, parts)
  const checkpointSigner = await checkpointSignerOf(config, parts, { clerk, tree, witnesses })
  return { tree, scrub, witnesses, checkpointSigner }
}

function witnessesOf(config: Config, { deployment, logger }: Parts): Witnesses {
  const serious: readonly TroubleKind[] =
    SERIOUS_TROUBLE[deployment.peers === undefined ? 'alone' : 'in_cluster']
  return openWitnesses(config.witnesses, {
    onTrouble: (trouble) =>
      serious.includes(trouble.kind)
        ? logger.error(
            trouble,
            'witness conflict: a witness has seen another version of this log, so it was rolled back or forked',
          )
        : logger.warn(trouble, 'witness did not cosign'),
  })
}

async function checkpointSignerOf(
  config: Config,
  { deployment, clock, logger, onTrouble }: Parts,
  { clerk, tree, witnesses }: { clerk: Clerk; tree: LogTree; witnesses: Witnesses },
): Promise<CheckpointSigner> {
  const { keys, reader, peers } = deployment
  const file = openCheckpointFile(config.checkpoint_file)
  await assertExtends(file, keys.log.key, reader.log, tree)
  await file.assertWritable()
  if (peers === undefined && (await hasLostFile(file, reader.log)))
    logger.warn(
      { checkpoint_file: file.path },
      'the checkpoint file is missing, although this store has signed checkpoints: an older copy of the data would start unnoticed. Check that its disk is mounted, or ignore this if you moved the file',
    )
  return openCheckpointSigner({
    reader: reader.log,
    file,
    ...keys.log,
    clock,
    interval_ms: config.checkpoint_interval_ms,
    ...(peers !== undefined && { confirm: () => confirmedHead(clerk) }),
    store: ({ root, ...checkpoint }) =>
      clerk.submit({ kind: 'keep_checkpoint', root: encodeBase64(root), ...checkpoint }),
    cosign:
      config.witnesses.length === 0
        ? undefined
        : (checkpoint) => witnesses.cosign(checkpoint, tree.consistencyProof),
    quorum: config.witness_quorum,
    onTrouble: (cause) => onTrouble(cause, 'checkpoint not published'),
    peers,
  })
}

/** Returns the head that a commit of this moment continues. */
async function confirmedHead(clerk: Clerk): Promise<Frontier> {
  const { outcome } = await clerk.submit({ kind: 'probe' })
  const { frontier } = outcome as ProbeOutcome // the outcome type of this command
  return decodeFrontier(Buffer.from(frontier, 'base64'))
}
