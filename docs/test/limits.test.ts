import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { LEVELS } from '@deputize/protocol'

const ROOT = new URL('../../', import.meta.url)
const page = readFileSync(new URL('docs/reference/limits.md', ROOT), 'utf8')
const rows = new Map(
  [...page.matchAll(/^\| (.+?) \| (.+) \|$/gm)].map(([, name = '', values = '']) => [name, values]),
)

/** The row of the page, the source of its number, and how the page shows it. */
const NUMBERS: readonly (readonly [
  row: string,
  file: string,
  name: string,
  shown: (value: number) => string,
])[] = [
  [
    'Lifetime of a delegated token by default',
    'server/src/domain/tokens/delegation.ts',
    'DEFAULT_LIFETIME_S',
    time,
  ],
  ['Delegations in a chain', 'server/src/domain/tokens/delegation.ts', 'MAX_DEPTH', plain],
  ['Renewals in a chain', 'server/src/operations/tokens/renew-token.ts', 'MAX_RENEWALS', plain],
  ['Trust after each delegation', 'server/src/domain/tokens/trust.ts', 'KEPT_PER_HOP', plain],
  ['Resource', 'protocol/src/encoding/grammar.ts', 'MAX_RESOURCE_BYTES', plain],
  ['Action', 'protocol/src/encoding/grammar.ts', 'MAX_ACTION_LENGTH', plain],
  ['Agent ID', 'protocol/src/encoding/grammar.ts', 'MAX_AGENT_ID_LENGTH', plain],
  ['Result', 'protocol/src/encoding/grammar.ts', 'MAX_RESULT_LENGTH', plain],
  ['Body', 'server/src/http/app.ts', 'BODY_LIMIT', mebibytes],
  [
    'Body with recordings of a verification',
    'protocol/src/api/verification/biometric-sessions.ts',
    'MAX_MEDIA_BODY_BYTES',
    mebibytes,
  ],
  ['`metadata` of an action', 'protocol/src/encoding/metadata-limits.ts', 'MAX_METADATA_BYTES', plain],
  ['Amount', 'protocol/src/encoding/money.ts', 'MAX_USD', plain],
  ['Items of `record/batch`', 'protocol/src/api/actions/records.ts', 'MAX_BATCH', plain],
  ['Evaluations of one AuthZEN request', 'protocol/src/api/actions/authzen.ts', 'MAX_EVALUATIONS', plain],
  ['Entries of a page', 'protocol/src/api/shapes.ts', 'MAX_PAGE', plain],
  ['Entries of a page', 'protocol/src/api/shapes.ts', 'DEFAULT_PAGE', plain],
  [
    'Nodes of a page of a workflow graph',
    'protocol/src/api/workflows/provenance.ts',
    'MAX_GRAPH_PAGE',
    plain,
  ],
  ['API key', 'server/src/operations/deployment/api-key-entry.ts', 'DEFAULT_KEY_LIFETIME_S', time],
  ['Session without use', 'server/src/access/session-entries.ts', 'SESSION_IDLE_MS', timeOfMs],
  ['Session', 'server/src/access/session-entries.ts', 'SESSION_MOST_MS', timeOfMs],
  ['Confirmation of a call with a passkey', 'server/src/access/step-up.ts', 'GRANT_MS', timeOfMs],
  ['Passkeys of a person, or of an API key', 'server/src/access/passkey-document.ts', 'MOST_PASSKEYS', plain],
  ['Standing vouches of a person', 'server/src/domain/vouch.ts', 'MOST_VOUCHES', plain],
  [
    'Message channels of a person, or of a tenant',
    'server/src/operations/channels/channel-entries.ts',
    'MOST_CHANNELS',
    plain,
  ],
  ['Webhooks of a tenant', 'protocol/src/api/events/webhooks.ts', 'MOST_WEBHOOKS', plain],
  ['Signal streams of a tenant', 'protocol/src/api/signals/streams.ts', 'MOST_SIGNAL_STREAMS', plain],
  ['Alert rules of a tenant', 'server/src/alerts/alert-rules.ts', 'MOST_RULES', plain],
  ['Event streams on a node', 'server/src/operations/event-streams.ts', 'MOST_STREAMS', plain],
]

/** Parts of a source that say a limit in another form. */
const PHRASES: readonly (readonly [row: string, text: string, file: string, source: string])[] = [
  [
    'Event streams of a tenant on a node',
    '1,250',
    'server/src/operations/shared-places.ts',
    'PART_OF_TENANT = 1 / 2',
  ],
  [
    'Event streams of a caller on a node',
    '250',
    'server/src/operations/shared-places.ts',
    'PART_OF_CALLER = 1 / 10',
  ],
  [
    'Resources of a token',
    '256',
    'protocol/src/api/tokens/tokens.ts',
    'ScopeList = { minItems: 1, maxItems: 256,',
  ],
  [
    'Actions of a token',
    '256',
    'protocol/src/api/tokens/tokens.ts',
    'ScopeList = { minItems: 1, maxItems: 256,',
  ],
  [
    'Depth of JSON',
    '16 levels',
    'protocol/src/encoding/json.ts',
    'JSON_LIMITS: Readonly<JsonLimits> = { depth: 16,',
  ],
  ['Members of a JSON object', '256', 'protocol/src/encoding/json.ts', 'depth: 16, members: 256,'],
  ['`Idempotency-Key`', '255 characters', 'server/src/http/idempotency-key.ts', '{1,255}'],
  [
    'Answer kept for a repeated `Idempotency-Key`',
    '24 hours',
    'server/src/clerk/run-batch.ts',
    'REPLAY_KEPT_MS = DAY_MS',
  ],
  [
    'Open approval requests below one root token',
    '50',
    'server/src/domain/approvals/approval.ts',
    'root: 50,',
  ],
  ['Open approval requests to one person', '100', 'server/src/domain/approvals/approval.ts', 'person: 100 }'],
  [
    'A denial answers the same request',
    '10 minutes',
    'server/src/domain/approvals/approval.ts',
    'FIRST_HOLD_MS = 10 * MINUTE_MS',
  ],
  [
    'Audit pack',
    '1,000 workflows, and 100,000 tokens',
    'server/src/operations/workflows/audit/chosen-workflows.ts',
    'workflows: 1_000, entries: 100_000',
  ],
]

describe('the reference of limits', () => {
  test('has the lifetimes and the trust of each level', () => {
    for (const [level, { base_trust, default_lifetime_s, max_lifetime_s }] of Object.entries(LEVELS)) {
      const [, ...cells] = (rows.get(`\`${level}\``) ?? '').split(' | ')
      assert.deepEqual(cells, [time(default_lifetime_s), time(max_lifetime_s), String(base_trust)], level)
    }
    assert.equal(
      rows.get('Renewals of a token that is based on a verification'),
      `until ${time(LEVELS.L3.max_lifetime_s)} (\`L3\`) or ${time(LEVELS.L2.max_lifetime_s)} (\`L2\`) after the verification`,
    )
  })

  test('has the numbers of the source', () => {
    for (const [row, file, name, shown] of NUMBERS) {
      const text = shown(constantOf(file, name))
      assert.match(
        rows.get(row) ?? '',
        new RegExp(`(?<![\\d.,])${text.replaceAll('.', '\\.')}(?![\\d,.]*\\d)`),
        row,
      )
    }
    for (const [row, text, file, source] of PHRASES) {
      assert.ok(rows.get(row)?.includes(text), row)
      assert.ok(readFileSync(new URL(file, ROOT), 'utf8').includes(source), `${file}: ${source}`)
    }
  })
})

/** A constant that is a number or a product of numbers. */
function constantOf(file: string, name: string): number {
  const source = readFileSync(new URL(file, ROOT), 'utf8')
  const [, product = ''] = new RegExp(`const ${name} = ([\\d_.* ]+)$`, 'm').exec(source) ?? []
  assert.notEqual(product, '', `${file} has no number ${name}`)
  return product.split('*').reduce((value, part) => value * Number(part.replaceAll('_', '')), 1)
}

function plain(value: number): string {
  return value.toLocaleString('en')
}

function mebibytes(value: number): string {
  return `${value / 1024 ** 2} MiB`
}

function timeOfMs(ms: number): string {
  return time(ms / 1000)
}

function time(seconds: number): string {
  if (seconds % 86_400 === 0 && seconds > 86_400) return `${seconds / 86_400} days`
  if (seconds % 3600 === 0) return seconds === 3600 ? '1 hour' : `${seconds / 3600} hours`
  return `${seconds / 60} minutes`
}
