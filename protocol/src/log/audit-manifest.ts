/** The parts of an audit pack: a ZIP archive with the proof packs of workflows and what follows from them. */
import { isObject, JsonError, readJson } from '../encoding/json.ts'
import { LogFault } from './faults.ts'

export const AUDIT_FORMAT = 'deputy-audit-pack'
const AUDIT_VERSION = 1

/**
 * The names of the files, in the order of the archive. One file per workflow comes between the checkpoint and the
 * decisions.
 */
export const AUDIT_FILES = {
  readme: 'README.txt',
  checkpoint: 'checkpoint.txt',
  decisions: 'decisions.csv',
  policies: 'policies.json',
  policy_table: 'policies.csv',
  manifest: 'manifest.json',
  verdict: 'verdict.json',
} as const

export function auditWorkflowFile(provenance_ref: string): string {
  return `workflows/${provenance_ref}.proof-pack.jsonl`
}

/** A file in the manifest's list. */
export interface ListedFile {
  readonly name: string
  readonly bytes: number
  /** `sha256:` and hex. */
  readonly sha256: string
}

export interface AuditManifest {
  readonly format: typeof AUDIT_FORMAT
  readonly version: typeof AUDIT_VERSION
  readonly made_at: string
  /** The version of the service. */
  readonly made_with: string
  readonly issuer: string
  readonly tenant_id: string
  /** The selection that was requested. The log doesn't prove that nothing else matches it. */
  readonly chosen: Readonly<Record<string, unknown>>
  readonly log: {
    readonly origin: string
    readonly vkey: string
    readonly size: number
    readonly root: string
  }
  /** The witnesses that the service asks. Trust their keys only if you know them from elsewhere. */
  readonly witnesses: readonly { readonly name: string; readonly vkey: string }[]
  /** The workflows, in the order of the archive. */
  readonly workflows: readonly string[]
  /** Every file before the manifest. */
  readonly files: readonly ListedFile[]
}

/** Parses a manifest. Throws a LogFault. */
export function readManifest(text: string): AuditManifest {
  const value = parsed(text)
  if (value.format !== AUDIT_FORMAT) throw malformedManifest('its format is not that of an audit pack')
  if (value.version !== AUDIT_VERSION) throw new LogFault('audit_version', `It is version ${value.version}.`)
  const { log, witnesses, workflows, files } = value
  if (!isObject(log) || !TEXTS.every((name) => typeof log[name] === 'string') || !isCount(log.size))
    throw malformedManifest('it names no log')
  if (!isListOf(witnesses, isWitness)) throw malformedManifest('its witnesses are not a list of keys')
  if (!isListOf(workflows, isText)) throw malformedManifest('its workflows are not a list')
  if (!isListOf(files, isListedFile)) throw malformedManifest('its files are not a list')
  return value as unknown as AuditManifest // every member that is used was checked above
}

const TEXTS = ['origin', 'vkey', 'root'] as const
/** A pack has at most 1,000 workflows, and a few other files. */
const MANIFEST_LIMITS = { items: 2_000 }

function parsed(text: string): Record<string, unknown> {
  try {
    const value = readJson(text, MANIFEST_LIMITS)
    if (isObject(value)) return value
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
  }
  throw malformedManifest('it is not JSON')
}

function isListOf(value: unknown, fits: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits)
}

function isWitness(value: unknown): boolean {
  return isObject(value) && isText(value.name) && isText(value.vkey)
}

function isListedFile(value: unknown): boolean {
  return isObject(value) && isText(value.name) && isText(value.sha256) && isCount(value.bytes)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function malformedManifest(why: string): LogFault {
  return new LogFault('audit_malformed', `${AUDIT_FILES.manifest}: ${why}.`)
}
