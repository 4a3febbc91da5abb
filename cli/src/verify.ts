import { createReadStream } from 'node:fs'
import { DEFAULT_TENANT } from '@deputize/protocol'
import { TrustLedger } from '@deputize/protocol/trust'
import {
  type Audit,
  type AuditOptions,
  auditLog,
  isArchive,
  KeptError,
  LogFault,
  type NoteKey,
  type SignedCheckpoint,
  type SoundFile,
  type Trust,
  UnknownFileError,
  verifyAuditPack,
  verifyProofFile,
} from '@deputize/protocol/verifier'
import type { Command } from 'commander'
import { UsageError } from './client/exit.ts'
import { EXIT, type ExitCode } from './exit-codes.ts'
import { addHelpParagraph } from './help-layout.ts'
import { fileSource, firstBytes } from './verify/archive-file.ts'
import { auditPackFacts, auditPackLines, completeLines } from './verify/audit-report.ts'
import { type LogContact, logContact } from './verify/contact.ts'
import { assertContained, assertContains, seenElsewhere } from './verify/elsewhere.ts'
import { httpLogReader } from './verify/log-reader.ts'
import { entryProgress } from './verify/progress-bar.ts'
import {
  againstLines,
  auditFacts,
  auditLines,
  contactFacts,
  contactLines,
  fileFacts,
  fileLines,
} from './verify/report.ts'
import { readVerifyRequest, type VerifyCommandOptions, type VerifyRequest } from './verify/request.ts'
import { type ComparedScores, compareScores, scoreLines } from './verify/scores.ts'
import { keepProof, pinKey, saveState } from './verify/state.ts'
import { Unchecked } from './verify/unchecked.ts'
import { watchWorkflows } from './verify/watch-workflows.ts'

const OUTCOMES = { sound: EXIT.done, fault: EXIT.fault, unchecked: EXIT.unchecked } as const

/** `deputy verify`: checks a log, an audit pack, a proof pack or a receipt. */
export function addVerifyCommand(program: Command): void {
  const command = program
    .command('verify')
    .summary('check a log, a pack or a receipt yourself')
    .description('check a log, an audit pack, a proof pack or a receipt without trusting the service')
    .argument('<target>', 'URL of a service, or a file with an audit pack, a proof pack or a receipt')
    .option('--key <vkey>', 'the key of the log, from a source you trust')
    .option('--state <directory>', 'directory for pinned keys and checkpoints ($XDG_STATE_HOME/deputy)')
    .option('--quick', 'check only the entries since the last run')
    .option('--witness <vkey>', 'the key of a witness that must have signed (repeatable)', collectKeys)
    .option('--quorum <number>', 'how many of the witnesses must have signed (default: all)')
    .option('--max-age <seconds>', 'maximum age of the last witness signature')
    .option('--workflow <ref>', 'list the log entries of this workflow')
    .option('--trust', 'compute the scores of the trust graph from the log and compare them with the service')
    .option('--subject <subject>', 'with --trust: only this person (human_ref) or agent (agent:<name>)')
    .option(
      '--tenant-key <tenant=file>',
      'with --trust: API key of another tenant, to compare its scores too (repeatable)',
      collectKeys,
    )
    .option('--against <url>', 'also check the log of the file, and that the file is complete')
    .option('--api-key-file <file>', 'file with the API key of an auditor, if the service requires one')
    .option('--json', 'print the result as JSON')
    .action(async (target: string, options: VerifyCommandOptions) => {
      process.exitCode = await runVerify(target, options)
    })
  addHelpParagraph(command, 'Exit codes: 0 sound, 1 fault found, 2 could not be checked.')
}

function collectKeys(value: string, before: string[] = []): string[] {
  return [...before, value]
}

/** The result for `--json`, and the same as lines for people. */
interface VerifyResult {
  readonly outcome: keyof typeof OUTCOMES
  readonly facts: Readonly<Record<string, unknown>>
  readonly lines: readonly string[]
}

/** Checks the target, prints the result, and returns the exit code. */
export async function runVerify(target: string, options: VerifyCommandOptions): Promise<ExitCode> {
  const { outcome, facts, lines } = await verifyTarget(target, options)
  if (options.json) process.stdout.write(`${JSON.stringify({ outcome, ...facts }, null, 2)}\n`)
  else
    (outcome === 'unchecked' ? process.stderr : process.stdout).write(`${lines.map(printable).join('\n')}\n`)
  return OUTCOMES[outcome]
}

/** Untrusted text must not move the cursor or change colors. */
function printable(line: string): string {
  return line.replaceAll(/\p{C}/gu, '\ufffd')
}

async function verifyTarget(target: string, options: VerifyCommandOptions): Promise<VerifyResult> {
  try {
    const request = readVerifyRequest(target, options, process.env)
    return await checkRequest(request).catch((error: unknown) => faultResult(error, request))
  } catch (error) {
    if (UNCHECKED_ERRORS.some((kind) => error instanceof kind) && error instanceof Error)
      return uncheckedResult(error.message)
    throw error
  }
}

/** The target could not be checked. The message says why. */
const UNCHECKED_ERRORS = [Unchecked, UsageError, KeptError, UnknownFileError]

async function checkRequest(request: VerifyRequest): Promise<VerifyResult> {
  return request.file === undefined ? await verifyLog(request) : await verifyFile(request, request.file)
}

function uncheckedResult(sentence: string): VerifyResult {
  return { outcome: 'unchecked', facts: { sentence }, lines: [`Could not be checked. ${sentence}`] }
}

/** Two contradictory checkpoints are saved: they prove to anyone that the log is dishonest. */
async function faultResult(error: unknown, { address, state }: VerifyRequest): Promise<VerifyResult> {
  if (!(error instanceof LogFault)) throw error
  const { fault: code, message: sentence, place, notes } = error
  const proof = address !== undefined && notes.length > 1 ? await keepProof(state, address, error) : undefined
  return {
    outcome: 'fault',
    facts: { code, sentence, place, ...(proof !== undefined && { proof }) },
    lines: [
      `NOT SOUND. ${sentence}`,
      `  code   ${code}`,
      ...(proof === undefined ? [] : [`  proof  ${proof} (both checkpoints that the log signed)`]),
    ],
  }
}

interface AuditedLog {
  readonly audit: Audit
  readonly contact: LogContact
}

async function verifyLog(request: VerifyRequest): Promise<VerifyResult> {
  return await withLog(request, async (log) => {
    const ledger = request.scores === undefined ? undefined : new TrustLedger()
    const { audit, contact } = await auditAndSave(request, log, { onEntry: (entry) => ledger?.apply(entry) })
    const compared = ledger === undefined ? undefined : await compareWith(request, contact, ledger)
    return {
      outcome: 'sound',
      facts: {
        ...contactFacts(contact),
        ...auditFacts(audit, request),
        ...(compared !== undefined && { trust: compared }),
      },
      lines: [
        `The log ${contact.key.name} is sound.`,
        ...auditLines(audit, request),
        ...(compared === undefined ? [] : scoreLines(compared)),
        ...contactLines(contact),
      ],
    }
  })
}

/** The key that reads the log reads the scores of the tenant `default`; each further key reads those of its tenant. */
async function compareWith(
  { scores }: VerifyRequest,
  { address, reader }: LogContact,
  ledger: TrustLedger,
): Promise<ComparedScores> {
  const others = [...(scores?.keys ?? [])].map(
    ([tenant_id, key]) => [tenant_id, httpLogReader(address, key, tenant_id)] as const,
  )
  const readers = new Map([[DEFAULT_TENANT, reader], ...others])
  try {
    return await compareScores(readers, ledger, scores?.subject)
  } finally {
    for (const [, other] of others) other.close()
  }
}

async function withLog<Result>(
  request: VerifyRequest,
  use: (log: LogContact) => Promise<Result>,
): Promise<Result> {
  const { address } = request
  if (address === undefined) throw new Error('A log needs an address.')
  const reader = httpLogReader(address, request.api_key)
  try {
    return await use(await logContact(request, address, reader))
  } finally {
    reader.close()
  }
}

function trustOf({ witnesses, quorum, max_age_s }: VerifyRequest): Omit<Trust, 'log'> {
  const fresh = max_age_s === undefined ? undefined : { now_ms: Date.now(), max_age_s }
  return { witnesses, quorum, fresh }
}

interface AuditExtras {
  /** A checkpoint that the log must extend. */
  readonly anchor?: SignedCheckpoint
  readonly watch?: string | undefined
  readonly onEntry?: AuditOptions['onEntry']
}

async function auditAndSave(
  request: VerifyRequest,
  contact: LogContact,
  { anchor, watch, onEntry }: AuditExtras = {},
): Promise<AuditedLog> {
  const { address, reader, key, state } = contact
  const bar = entryProgress(process.stderr)
  // Pinned before the audit: a service that cheats at first contact cannot switch to another key later.
  if (state === undefined) await pinKey(contact.file, address, key)
  try {
    const audit = await auditLog({
      ...trustOf(request),
      read: reader.read,
      log: key,
      kept: state?.kept,
      quick: request.quick,
      anchors: anchor === undefined ? [] : [anchor],
      watch: watch ?? request.workflow,
      onEntry,
      onProgress: bar.show,
    })
    const seen = await seenElsewhere(contact)
    await assertContains(contact, audit, seen)
    // Saved before the comparison with longer logs: if those cannot be read now, their next audit compares.
    await saveState(contact.file, address, key, audit)
    await assertContained(contact, audit, seen)
    return { audit, contact }
  } finally {
    bar.clear()
  }
}

async function verifyFile(request: VerifyRequest, file: string): Promise<VerifyResult> {
  if (isArchive(await firstBytes(file))) return verifyArchive(request, file)
  if (request.address !== undefined)
    return await withLog(request, async (contact) => {
      const sound = await provenFile(request, file, contact.key)
      const watch = sound.kind === 'pack' ? sound.provenance_ref : undefined
      const { audit } = await auditAndSave(request, contact, { anchor: sound.checkpoint, watch })
      assertComplete(sound, audit)
      const lines = [...fileLines(file, sound), ...againstLines(sound, audit, contact)]
      return {
        outcome: 'sound',
        facts: { ...fileFacts(sound), complete: true, against: auditFacts(audit, request) },
        lines: [...lines, ...contactLines(contact)],
      }
    })
  const sound = await provenFile(request, file, request.key)
  return { outcome: 'sound', facts: fileFacts(sound), lines: fileLines(file, sound) }
}

/** An audit pack, and with `--against` whether it leaves out entries of its workflows. */
async function verifyArchive(request: VerifyRequest, file: string): Promise<VerifyResult> {
  if (request.workflow !== undefined)
    throw new Unchecked('--workflow is for proof packs. An audit pack lists its workflows in manifest.json.')
  const prove = async (log: NoteKey | undefined) =>
    verifyAuditPack(await fileSource(file), { ...trustOf(request), log })
  if (request.address === undefined) {
    const sound = await prove(request.key)
    return { outcome: 'sound', facts: auditPackFacts(sound), lines: auditPackLines(file, sound) }
  }
  return await withLog(request, async (contact) => {
    const sound = await prove(contact.key)
    const completeness = watchWorkflows(sound)
    const { audit } = await auditAndSave(request, contact, {
      anchor: sound.checkpoint,
      onEntry: completeness.onEntry,
    })
    completeness.assertComplete()
    return {
      outcome: 'sound',
      facts: { ...auditPackFacts(sound), complete: true, against: auditFacts(audit, request) },
      lines: [...auditPackLines(file, sound), ...completeLines(audit, contact), ...contactLines(contact)],
    }
  })
}

async function provenFile(
  request: VerifyRequest,
  file: string,
  log: NoteKey | undefined,
): Promise<SoundFile> {
  const sound = await verifyProofFile(fileBytes(file), { ...trustOf(request), log })
  if (sound.kind === 'pack' && request.workflow !== undefined && sound.provenance_ref !== request.workflow)
    throw new LogFault('pack_of_another_workflow', `The pack is for ${sound.provenance_ref}.`)
  return sound
}

async function* fileBytes(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new Unchecked(`${file} cannot be read (${error.code}).`)
    throw error
  }
}

/** A pack must contain every log entry of its workflow up to its checkpoint. */
function assertComplete(sound: SoundFile, { watched }: Audit): void {
  if (sound.kind !== 'pack') return
  const held = new Set(sound.indexes)
  const missing = watched.filter((index) => index < sound.checkpoint.size && !held.has(index))
  if (missing.length > 0)
    throw new LogFault(
      'pack_leaves_out',
      `${missing.length} entries are missing; the first is entry ${missing[0]}.`,
    )
}
