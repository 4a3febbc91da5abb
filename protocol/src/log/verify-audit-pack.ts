/** Verifies an audit pack offline: every file, the log entries in it, and what was derived from them. */
import { runningSha256 } from '#sha256'
import { hexOf } from '../encoding/hex.ts'
import { isObject } from '../encoding/json.ts'
import { type ArchivedFile, type ByteSource, readArchive, ZipError } from '../encoding/zip.ts'
import { AUDIT_FILES, type AuditManifest, auditWorkflowFile, readManifest } from './audit-manifest.ts'
import { type AuditVerdict, firstDifference, type VerdictTally, verdictTally } from './audit-verdict.ts'
import { believeCheckpoint } from './believe-checkpoint.ts'
import type { SignedCheckpoint } from './checkpoint.ts'
import { DECISION_HEADER, decisionReader } from './decisions.ts'
import type { LogEntryContent } from './entry.ts'
import { LogFault } from './faults.ts'
import { NoteError, type NoteKey, readVkey, vkeyOf } from './note.ts'
import { pinnedKey } from './pinned-key.ts'
import { beginsToken, isPolicyLineOf, POLICY_TABLE_HEADER } from './policy-table.ts'
import { linesOf, UnknownFileError } from './proof-file.ts'
import { proofPackVerifier, type SoundPack } from './proof-pack.ts'
import type { FileTrust } from './receipt.ts'

/** Longer than any manifest, verdict or list of policies. */
const MAX_JSON_BYTES = 4 * 1024 * 1024

export interface SoundAuditPack {
  readonly manifest: AuditManifest
  readonly checkpoint: SignedCheckpoint
  readonly vkey: string
  /** Whether the key was pinned beforehand; otherwise the pack is only consistent with itself. */
  readonly pinned: boolean
  readonly verdict: AuditVerdict
  /** The log indexes of each workflow. Only an audit of the log shows whether the lists are complete. */
  readonly indexes: ReadonlyMap<string, readonly number[]>
}

/** Whether a file is an archive, by its first bytes. */
export function isArchive(start: Uint8Array): boolean {
  return start[0] === 0x50 && start[1] === 0x4b
}

/**
 * Verifies an audit pack, trusting only keys. Every proof pack is verified; the decisions are recomputed from the log
 * entries and compared line by line; every token has its lines in the policy table; every file is the one that the
 * manifest lists; and the verdict in the pack is the one that was found. Throws a LogFault that names the file.
 *
 * Not proven, because the log does not contain it: that nothing else matches the selection, what the service found for
 * a policy, and the README.
 */
export async function verifyAuditPack(source: ByteSource, trust: FileTrust): Promise<SoundAuditPack> {
  try {
    return await verifiedArchive(await readArchive(source), trust)
  } catch (error) {
    if (error instanceof ZipError || error instanceof UnknownFileError)
      throw new LogFault('audit_malformed', error.message)
    throw error
  }
}

async function verifiedArchive(archived: readonly ArchivedFile[], trust: FileTrust): Promise<SoundAuditPack> {
  const files = new Map(archived.map((file) => [file.name, file]))
  const manifest_text = await textOf(files, AUDIT_FILES.manifest)
  const manifest = readManifest(manifest_text.text)
  assertSameFiles(archived, manifest)
  const log = pinnedKey(manifest.log, trust.log, 'audit_malformed')
  const checkpoint = await readCheckpointFile(files, manifest, { ...trust, log })
  const tables = await openTables(files)
  const tally = verdictTally()
  const indexes = new Map<string, readonly number[]>()
  try {
    for (const provenance_ref of manifest.workflows) {
      const sound = await verifyWorkflow(provenance_ref, { files, checkpoint, log, tables, tally })
      indexes.set(provenance_ref, sound.indexes)
    }
    for (const table of [tables.decisions, tables.policies]) await table.end()
  } finally {
    for (const table of [tables.decisions, tables.policies]) await table.close()
  }
  await assertListed(files, manifest)
  const verdict = tally.verdict(checkpoint, manifest_text.sha256)
  await assertVerdict(files, verdict)
  return { manifest, checkpoint, vkey: vkeyOf(log), pinned: trust.log !== undefined, verdict, indexes }
}

/** The archive contains the listed files in the listed order, then the manifest and the verdict. */
function assertSameFiles(archived: readonly ArchivedFile[], manifest: AuditManifest): void {
  const { readme, checkpoint, decisions, policies, policy_table } = AUDIT_FILES
  const middle = manifest.workflows.map(auditWorkflowFile)
  const wanted = [readme, checkpoint, ...middle, decisions, policies, policy_table]
  const listed = manifest.files.map(({ name }) => name)
  const missing = wanted.find((name) => !listed.includes(name))
  if (missing !== undefined)
    throw new LogFault('audit_file_missing', `The manifest does not list ${missing}.`)
  const present = archived.map(({ name }) => name)
  const all = [...wanted, AUDIT_FILES.manifest, AUDIT_FILES.verdict]
  const absent = [...all, ...listed].find((name) => !present.includes(name))
  if (absent !== undefined) throw new LogFault('audit_file_missing', `It is ${absent}.`)
  const extra = [...present, ...listed].find((name) => !all.includes(name))
  if (extra !== undefined) throw new LogFault('audit_file_extra', `It is ${extra}.`)
  if (present.join('\n') !== all.join('\n') || listed.join('\n') !== wanted.join('\n'))
    throw new LogFault('audit_malformed', 'Its files are not in their order.')
}

/** The checkpoint of all proof packs, with the witnesses of the manifest that cosigned it. */
async function readCheckpointFile(
  files: ReadonlyMap<string, ArchivedFile>,
  { log: stated, witnesses }: AuditManifest,
  trust: FileTrust & { readonly log: NoteKey },
): Promise<SignedCheckpoint> {
  const { text } = await textOf(files, AUDIT_FILES.checkpoint)
  await believeCheckpoint(text, trust)
  const keys = witnesses.map(({ vkey }) => witnessKey(vkey))
  const checkpoint = await believeCheckpoint(text, { log: trust.log, witnesses: keys, quorum: 0 })
  if (checkpoint.size !== stated.size)
    throw new LogFault(
      'audit_checkpoint_differs',
      `${AUDIT_FILES.manifest} states a log of ${stated.size} entries, ${AUDIT_FILES.checkpoint} of ${checkpoint.size}.`,
    )
  return checkpoint
}

function witnessKey(vkey: string): NoteKey {
  try {
    return readVkey(vkey)
  } catch (error) {
    if (!(error instanceof NoteError)) throw error
    throw new LogFault('audit_malformed', `${AUDIT_FILES.manifest}: a witness has no valid key.`)
  }
}

interface OpenAudit {
  readonly files: ReadonlyMap<string, ArchivedFile>
  readonly checkpoint: SignedCheckpoint
  readonly log: NoteKey
  readonly tables: AuditTables
  readonly tally: VerdictTally
}

async function verifyWorkflow(provenance_ref: string, audit: OpenAudit): Promise<SoundPack> {
  const name = auditWorkflowFile(provenance_ref)
  try {
    return await verifiedWorkflow(provenance_ref, name, audit)
  } catch (error) {
    if (!(error instanceof LogFault) || error.place.includes('.csv')) throw error
    throw new LogFault(error.fault, `${error.place} The file is ${name}.`, error.notes)
  }
}

async function verifiedWorkflow(provenance_ref: string, name: string, audit: OpenAudit): Promise<SoundPack> {
  const { files, checkpoint, log, tables, tally } = audit
  const due: (() => Promise<void>)[] = []
  const decisionOf = decisionReader()
  const verifier = proofPackVerifier({ log }, (index, entry) => {
    const line = decisionOf(index, entry)
    if (line !== undefined) {
      tally.countDecision(line.decision)
      due.push(() => tables.decisions.expect(line.text, index))
    }
    if (beginsToken(entry)) due.push(() => tables.expectPolicies(index, entry))
  })
  for await (const line of linesOf(contentOf(files, name))) {
    await verifier.take(line)
    for (const compare of due.splice(0)) await compare()
  }
  const sound = verifier.finish()
  if (sound.provenance_ref !== provenance_ref)
    throw new LogFault('pack_of_another_workflow', `It is of ${sound.provenance_ref}.`)
  if (sound.checkpoint.note !== checkpoint.note)
    throw new LogFault('audit_checkpoint_differs', `It is not that of ${AUDIT_FILES.checkpoint}.`)
  tally.endWorkflow(sound)
  return sound
}

/** The tables of a pack, read line by line alongside the proof packs that they follow from. */
interface AuditTables {
  readonly decisions: ComparedTable
  readonly policies: ComparedTable
  expectPolicies(index: number, entry: LogEntryContent): Promise<void>
}

async function openTables(files: ReadonlyMap<string, ArchivedFile>): Promise<AuditTables> {
  const known = policiesIn((await textOf(files, AUDIT_FILES.policies)).text)
  const decisions = comparedTable(files, AUDIT_FILES.decisions, 'audit_decisions_differ')
  const policies = comparedTable(files, AUDIT_FILES.policy_table, 'audit_policies_differ')
  await decisions.expect(DECISION_HEADER)
  await policies.expect(POLICY_TABLE_HEADER)
  return {
    decisions,
    policies,
    async expectPolicies(index, entry) {
      for (const policy of known)
        await policies.accept((line) => isPolicyLineOf(line, index, entry, policy), index)
    },
  }
}

interface ComparedTable {
  /** Throws a LogFault unless the next line is this one. */
  expect(line: string, index?: number): Promise<void>
  /** Throws a LogFault unless the next line fits. */
  accept(fits: (line: string) => boolean, index?: number): Promise<void>
  /** Throws a LogFault if there is another line. */
  end(): Promise<void>
  /** Closes the file, whether or not it was read to its end. */
  close(): Promise<void>
}

function comparedTable(
  files: ReadonlyMap<string, ArchivedFile>,
  name: string,
  fault: 'audit_decisions_differ' | 'audit_policies_differ',
): ComparedTable {
  const lines = linesOf(contentOf(files, name))
  let number = 0
  async function accept(fits: (line: string) => boolean, index?: number): Promise<void> {
    number += 1
    const step = await lines.next()
    if (step.done !== true && fits(`${step.value}\n`)) return
    const told = index === undefined ? 'is not the header' : `does not match log entry ${index}`
    throw new LogFault(fault, `${name}, line ${number} ${told}.`)
  }
  return {
    accept,
    expect: (line, index) => accept((found) => found === line, index),
    async end() {
      const step = await lines.next()
      if (step.done !== true) throw new LogFault(fault, `${name}, line ${number + 1} has no log entry.`)
    },
    async close() {
      await lines.return(undefined)
    },
  }
}

function policiesIn(text: string): { readonly name: string; readonly version: string }[] {
  const value = jsonIn(text)
  const policies = isObject(value) ? value.policies : undefined
  if (!Array.isArray(policies) || !policies.every(isNamedPolicy))
    throw new LogFault('audit_malformed', `${AUDIT_FILES.policies} is not a list of policies.`)
  return policies
}

function isNamedPolicy(value: unknown): value is { readonly name: string; readonly version: string } {
  return isObject(value) && typeof value.name === 'string' && typeof value.version === 'string'
}

/** Runs last, because earlier checks report a file that contradicts the log more precisely. */
async function assertListed(
  files: ReadonlyMap<string, ArchivedFile>,
  { files: listed }: AuditManifest,
): Promise<void> {
  for (const { name, bytes, sha256 } of listed) {
    const found = await hashOf(contentOf(files, name))
    if (found !== sha256 || files.get(name)?.bytes !== bytes)
      throw new LogFault('audit_file_differs', `It is ${name}.`)
  }
}

async function assertVerdict(files: ReadonlyMap<string, ArchivedFile>, verdict: AuditVerdict): Promise<void> {
  const stated = jsonIn((await textOf(files, AUDIT_FILES.verdict)).text)
  const at = firstDifference(stated, JSON.parse(JSON.stringify(verdict)))
  if (at === '/manifest') throw new LogFault('audit_file_differs', `It is ${AUDIT_FILES.manifest}.`)
  if (at !== undefined)
    throw new LogFault('audit_verdict_differs', `${AUDIT_FILES.verdict} differs at ${at}.`)
}

function contentOf(files: ReadonlyMap<string, ArchivedFile>, name: string): AsyncGenerator<Uint8Array> {
  const file = files.get(name)
  if (file === undefined) throw new LogFault('audit_file_missing', `It is ${name}.`)
  return file.read()
}

async function textOf(
  files: ReadonlyMap<string, ArchivedFile>,
  name: string,
): Promise<{ readonly text: string; readonly sha256: string }> {
  const size = files.get(name)?.bytes ?? 0
  if (size > MAX_JSON_BYTES) throw new LogFault('audit_malformed', `${name} is too long.`)
  const bytes = new Uint8Array(size)
  let at = 0
  for await (const chunk of contentOf(files, name)) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  const hash = runningSha256()
  hash.update(bytes)
  return { text: new TextDecoder().decode(bytes), sha256: `sha256:${hexOf(hash.digest())}` }
}

async function hashOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = runningSha256()
  for await (const chunk of chunks) hash.update(chunk)
  return `sha256:${hexOf(hash.digest())}`
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
