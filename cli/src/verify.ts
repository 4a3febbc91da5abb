import { createReadStream } from 'node:fs'
import {
  type Audit,
  auditLog,
  KeptError,
  LogFault,
  type NoteKey,
  type SoundFile,
  type Trust,
  UnknownFileError,
  verifyProofFile,
} from '@deputize/protocol/verifier'
import { type Contact, contactOf } from './verify/contact.ts'
import { logReader } from './verify/log-reader.ts'
import { progressBar } from './verify/progress-bar.ts'
import { type Question, readQuestion, type VerifyOptions } from './verify/question.ts'
import {
  againstLines,
  auditFacts,
  auditLines,
  contactFacts,
  contactLines,
  fileFacts,
  fileLines,
} from './verify/report.ts'
import { keepProof, pin, remember } from './verify/state.ts'
import { Unchecked } from './verify/unchecked.ts'

export const EXIT = { sound: 0, fault: 1, unchecked: 2 } as const

/** What is found, as `--json` shows it, and the lines that say the same to people. */
interface Finding {
  readonly outcome: keyof typeof EXIT
  readonly facts: Readonly<Record<string, unknown>>
  readonly lines: readonly string[]
}

/** Checks a log, a proof pack or a receipt, says what it found, and answers the exit code. */
export async function verify(target: string, options: VerifyOptions): Promise<number> {
  const finding = await find(target, options)
  const { outcome, facts, lines } = finding
  if (options.json) process.stdout.write(`${JSON.stringify({ outcome, ...facts }, null, 2)}\n`)
  else
    (outcome === 'unchecked' ? process.stderr : process.stdout).write(`${lines.map(printable).join('\n')}\n`)
  return EXIT[outcome]
}

/** What a stranger wrote must not move the cursor or colour the words of this program. */
function printable(line: string): string {
  return line.replaceAll(/\p{C}/gu, '\ufffd')
}

async function find(target: string, options: VerifyOptions): Promise<Finding> {
  try {
    const question = readQuestion(target, options, process.env)
    return await answer(question).catch((error: unknown) => faultOf(error, question))
  } catch (error) {
    if (error instanceof Unchecked || error instanceof KeptError || error instanceof UnknownFileError)
      return unchecked(error.message)
    throw error
  }
}

async function answer(question: Question): Promise<Finding> {
  return question.file === undefined ? await checkLog(question) : await checkFile(question, question.file)
}

function unchecked(sentence: string): Finding {
  return { outcome: 'unchecked', facts: { sentence }, lines: [`Could not be checked. ${sentence}`] }
}

/** Two checkpoints that contradict each other are kept: with them everybody can be shown that the log lied. */
async function faultOf(error: unknown, { address, state }: Question): Promise<Finding> {
  if (!(error instanceof LogFault)) throw error
  const { fault: code, message: sentence, place, notes } = error
  const proof = address !== undefined && notes.length > 1 ? await keepProof(state, address, error) : undefined
  return {
    outcome: 'fault',
    facts: { code, sentence, place, ...(proof !== undefined && { proof }) },
    lines: [
      `NOT SOUND. ${sentence}`,
      `  code   ${code}`,
      ...(proof === undefined ? [] : [`  proof  ${proof} holds both checkpoints that the log signed.`]),
    ],
  }
}

interface Checked {
  readonly audit: Audit
  readonly contact: Contact
}

async function checkLog(question: Question): Promise<Finding> {
  const { audit, contact } = await withLog(question, (log) => auditAndKeep(question, log))
  return {
    outcome: 'sound',
    facts: { ...contactFacts(contact), ...auditFacts(audit, question) },
    lines: [
      `The log ${contact.key.name} is sound.`,
      ...auditLines(audit, question),
      ...contactLines(contact),
    ],
  }
}

async function withLog<Answer>(question: Question, ask: (log: Contact) => Promise<Answer>): Promise<Answer> {
  const { address } = question
  if (address === undefined) throw new Error('a log is asked about without an address')
  const reader = logReader(address, question.api_key)
  try {
    return await ask(await contactOf(question, address, reader))
  } finally {
    reader.close()
  }
}

function trustOf({ witnesses, quorum, max_age_s }: Question): Omit<Trust, 'log'> {
  const fresh = max_age_s === undefined ? undefined : { now_ms: Date.now(), max_age_s }
  return { witnesses, quorum, fresh }
}

async function auditAndKeep(question: Question, contact: Contact, file?: SoundFile): Promise<Checked> {
  const { address, reader, key, memory } = contact
  const bar = progressBar(process.stderr)
  // Pinned before it is believed: a service that lies at first contact cannot come back with another key.
  if (memory === undefined) await pin(contact.file, address, key)
  try {
    const audit = await auditLog({
      ...trustOf(question),
      read: reader.read,
      log: key,
      kept: memory?.kept,
      quick: question.quick,
      anchors: file === undefined ? [] : [file.checkpoint],
      watch: file?.kind === 'pack' ? file.provenance_ref : question.workflow,
      onProgress: bar.show,
    })
    await remember(contact.file, address, key, audit)
    return { audit, contact }
  } finally {
    bar.clear()
  }
}

async function checkFile(question: Question, file: string): Promise<Finding> {
  if (question.address !== undefined)
    return await withLog(question, async (contact) => {
      const sound = await soundFile(question, file, contact.key)
      const { audit } = await auditAndKeep(question, contact, sound)
      assertNothingLeftOut(sound, audit)
      const lines = [...fileLines(file, sound), ...againstLines(sound, audit, contact)]
      return {
        outcome: 'sound',
        facts: { ...fileFacts(sound), complete: true, against: auditFacts(audit, question) },
        lines: [...lines, ...contactLines(contact)],
      }
    })
  const sound = await soundFile(question, file, question.key)
  return { outcome: 'sound', facts: fileFacts(sound), lines: fileLines(file, sound) }
}

async function soundFile(question: Question, file: string, log: NoteKey | undefined): Promise<SoundFile> {
  const sound = await verifyProofFile(readBytes(file), { ...trustOf(question), log })
  if (sound.kind === 'pack' && question.workflow !== undefined && sound.provenance_ref !== question.workflow)
    throw new LogFault('pack_of_another_workflow', `It is of ${sound.provenance_ref}.`)
  return sound
}

async function* readBytes(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error)
      throw new Unchecked(`${file} cannot be read (${error.code}).`)
    throw error
  }
}

/** A pack must hold every entry of its workflow that the log had when it was made. */
function assertNothingLeftOut(sound: SoundFile, { watched }: Audit): void {
  if (sound.kind !== 'pack') return
  const held = new Set(sound.indexes)
  const missing = watched.filter((index) => index < sound.checkpoint.size && !held.has(index))
  if (missing.length > 0)
    throw new LogFault(
      'pack_leaves_out',
      `It lacks ${missing.length}, the first of them entry ${missing[0]}.`,
    )
}
