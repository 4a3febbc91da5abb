import { createHash, type Hash, hash } from 'node:crypto'
import {
  AUDIT_FILES,
  AUDIT_FORMAT,
  type AuditManifest,
  auditWorkflowFile,
  beginsToken,
  DECISION_HEADER,
  decisionReader,
  encodeBase64,
  type ListedFile,
  POLICY_TABLE_HEADER,
  proofPackVerifier,
  readEntry,
  verdictTally,
  vkeyOf,
} from '@deputize/protocol'
import { believeCheckpoint } from '@deputize/protocol/verifier'
import { isoInstant } from '../../../domain/times/time.ts'
import type { WorkflowFacts } from '../../../store/port/workflow-reader.ts'
import type { OperationContext } from '../../operation-context.ts'
import { type PackCheckpoint, proofPack } from '../exports/proof-pack.ts'
import { snapshotOf } from '../exports/snapshot.ts'
import { auditReadme } from './audit-readme.ts'
import { policyLines } from './policy-lines.ts'
import type { NewArchivedFile } from './zip-archive.ts'

/** The contents of a pack. */
export interface AuditSubject {
  /** Oldest first. */
  readonly workflows: readonly WorkflowFacts[]
  readonly checkpoint: PackCheckpoint
  readonly chosen: Readonly<Record<string, unknown>>
  readonly tenant_id: string
}

/**
 * Yields the files of an audit pack, in order. The verifier reads each proof pack while it is sent, and computes the
 * decisions from it; the pack ends with its verdict. An unsound pack is never completed: it would be a fault of this
 * service, and readers must not get it.
 */
export async function* auditFiles(
  subject: AuditSubject,
  context: OperationContext,
): AsyncGenerator<NewArchivedFile> {
  const { workflows, checkpoint } = subject
  const listed: ListedFile[] = []
  const tally = verdictTally()
  const decided = createHash('sha256').update(DECISION_HEADER)
  const list = (name: string, text: AsyncIterable<string>) => ({ name, text: listing(name, text, listed) })
  const now_ms = context.clock()
  const witnesses = context.log.witnesses().map(({ key }) => key)
  const believed = await believeCheckpoint(checkpoint.note, {
    log: context.keys.log.key,
    witnesses,
    quorum: 0, // the verdict names those that cosigned
  })
  const snapshots = workflows.map((facts) => snapshotOf(facts, checkpoint.size, context.reader))

  yield list(AUDIT_FILES.readme, once(auditReadme(subject, now_ms)))
  yield list(AUDIT_FILES.checkpoint, once(checkpoint.note))
  for (const snapshot of snapshots) {
    const lines = proofPack(snapshot, checkpoint, context.log.tree, now_ms)
    const name = auditWorkflowFile(snapshot.facts.provenance_ref)
    yield list(name, verifying(lines, { context, tally, decided }))
  }
  yield list(AUDIT_FILES.decisions, decisionTable(snapshots))
  assertSameDecisions(listed.at(-1), decided)
  yield list(AUDIT_FILES.policies, once(json({ policies: context.policies })))
  yield list(AUDIT_FILES.policy_table, policyTable(snapshots, context))
  const manifest = json({
    format: AUDIT_FORMAT,
    version: 1,
    made_at: isoInstant(now_ms),
    made_with: context.node.version,
    issuer: context.issuer,
    tenant_id: subject.tenant_id,
    chosen: subject.chosen,
    log: {
      origin: checkpoint.origin,
      vkey: checkpoint.vkey,
      size: checkpoint.size,
      root: encodeBase64(believed.root),
    },
    witnesses: witnesses.map((key) => ({ name: key.name, vkey: vkeyOf(key) })),
    workflows: workflows.map(({ provenance_ref }) => provenance_ref),
    files: listed,
  } satisfies AuditManifest)
  yield { name: AUDIT_FILES.manifest, text: once(manifest) }
  const verdict = tally.verdict(believed, `sha256:${hash('sha256', manifest)}`)
  yield { name: AUDIT_FILES.verdict, text: once(json(verdict)) }
}

/** Passes text on, and lists the file once all of it has been read. */
async function* listing(
  name: string,
  text: AsyncIterable<string>,
  listed: ListedFile[],
): AsyncGenerator<string> {
  const digest = createHash('sha256')
  let bytes = 0
  for await (const piece of text) {
    digest.update(piece)
    bytes += Buffer.byteLength(piece)
    yield piece
  }
  listed.push({ name, bytes, sha256: `sha256:${digest.digest('hex')}` })
}

interface PackCheck {
  readonly context: OperationContext
  readonly tally: ReturnType<typeof verdictTally>
  /** Hashes the decisions as the verifier computes them. */
  readonly decided: Hash
}

/** Passes on the lines of a proof pack once the verifier has accepted them. */
async function* verifying(
  lines: AsyncIterable<string>,
  { context, tally, decided }: PackCheck,
): AsyncGenerator<string> {
  const decisionOf = decisionReader()
  const verifier = proofPackVerifier({ log: context.keys.log.key }, (index, entry) => {
    const line = decisionOf(index, entry)
    if (line === undefined) return
    tally.countDecision(line.decision)
    decided.update(line.text)
  })
  for await (const line of lines) {
    await verifier.take(line.trimEnd())
    yield line
  }
  tally.endWorkflow(verifier.finish())
}

type Snapshots = readonly ReturnType<typeof snapshotOf>[]

async function* decisionTable(snapshots: Snapshots): AsyncGenerator<string> {
  yield DECISION_HEADER
  for (const snapshot of snapshots) {
    const decisionOf = decisionReader()
    for await (const { log_index, text } of snapshot.leaves()) {
      const line = decisionOf(log_index, readEntry(text, log_index))
      if (line !== undefined) yield line.text
    }
  }
}

/** Throws if the table differs from the verified proof packs. It was read from the store a second time. */
function assertSameDecisions(table: ListedFile | undefined, decided: Hash): void {
  if (table?.sha256 !== `sha256:${decided.digest('hex')}`)
    throw new Error('the table of decisions does not follow from the proof packs')
}

async function* policyTable(snapshots: Snapshots, context: OperationContext): AsyncGenerator<string> {
  yield POLICY_TABLE_HEADER
  for (const snapshot of snapshots) {
    const linesOf = await policyLines(snapshot, context)
    for await (const { log_index, text } of snapshot.leaves()) {
      const entry = readEntry(text, log_index)
      if (beginsToken(entry)) yield* linesOf(log_index, entry)
    }
  }
}

async function* once(text: string): AsyncGenerator<string> {
  yield text
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
