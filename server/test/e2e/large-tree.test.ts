import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Claims, newId, newSuffix } from '@deputize/protocol'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { Command, Reply } from '../../src/clerk/command.ts'
import type { AuthorizationOutcome } from '../../src/clerk/judges/authorization.ts'
import type { RevokeOutcome } from '../../src/clerk/judges/revoke.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'
import { anAuthorization } from '../an-authorization.ts'

const DESCENDANTS = 100_000
const FAN_OUT = 10
const BATCH = 1000
const NOW_MS = Date.parse('2027-01-01T00:00:00Z')
const NOW_S = NOW_MS / 1000

const directory = temporaryDirectory({ after })
const file = join(directory, 'deputy.db')
const store = sqliteWriteStore({
  file,
  instance: 'large-tree',
  vault_key: TEST_VAULT_KEY,
  clock: () => NOW_MS,
})
after(() => store.close())

/** Tokens without signatures, which neither the clerk nor this test verifies. */
function aCommand(claims: Claims, status_index: number) {
  const compact_jwt = claims.jti
  return {
    claims,
    purpose: undefined,
    compact_jwt,
    jwt_hash: `sha256:${hash('sha256', claims.jti)}`,
    status_index,
  }
}

function rootClaims(): Claims {
  const jti = newId('root_token', NOW_MS)
  return {
    iss: 'urn:deputy:test',
    sub: 'agent:root-bot',
    iat: NOW_S,
    nbf: NOW_S,
    exp: NOW_S + 86_400,
    jti,
    svc_trust_score: 0.4,
    svc_scope: { resources: ['calendar:events'], actions: ['read', 'delegate'] },
    svc_assurance_level: 'L1',
    svc_human_ref: `sha256:${'0'.repeat(64)}`,
    svc_provenance_ref: newId('workflow', NOW_MS),
    svc_delegation_depth: 0,
    svc_root_jti: jti,
  }
}

function childClaims(parent: Claims, n: number): Claims {
  const depth = parent.svc_delegation_depth + 1
  return {
    ...parent,
    sub: `agent:bot-${n % 100}`,
    jti: newId('sub_token', NOW_MS),
    svc_trust_score: 0.4 * 0.9 ** depth,
    svc_delegation_depth: depth,
    svc_parent_jti: parent.jti,
    act: { sub: parent.sub },
  }
}

async function run(commands: Command[]): Promise<unknown[]> {
  const { replies } = await runBatch(store, commands, (cause) => {
    throw cause
  })
  return replies.map((reply: Reply) =>
    'outcome' in reply ? reply.outcome : assert.fail(JSON.stringify(reply)),
  )
}

const anAsk = (vat_jti: string): Command => ({
  kind: 'authorize',
  ...anAuthorization({ suffix: newSuffix(NOW_MS), vat_jti }),
  dry_run: false,
  pending_ttl_ms: 1000,
})

/** Grows the tree level by level: the children of each token directly follow those of the previous token. */
async function grow(root: Claims): Promise<Claims[]> {
  await run([{ kind: 'issue', ...aCommand(root, 0) }])
  const tokens = [root]
  while (tokens.length <= DESCENDANTS) {
    const size = Math.min(BATCH, DESCENDANTS + 1 - tokens.length)
    const children = Array.from({ length: size }, (_, place) => {
      const n = tokens.length + place
      const parent = tokens[Math.floor((n - 1) / FAN_OUT)]
      return parent === undefined ? undefined : childClaims(parent, n)
    }).filter((one) => one !== undefined) // children whose parent is in this batch wait for the next
    await run(
      children.map((claims, place) => ({
        kind: 'delegate',
        above_jti: String(claims.svc_parent_jti),
        ...aCommand(claims, tokens.length + place),
      })),
    )
    tokens.push(...children)
  }
  return tokens
}

describe(`a tree of ${DESCENDANTS} tokens below one root`, () => {
  const root = rootClaims()
  let tokens: Claims[] = []
  before(async () => {
    tokens = await grow(root)
  })

  const sample = () =>
    Array.from({ length: 1000 }, () => tokens[1 + Math.floor(Math.random() * DESCENDANTS)]?.jti ?? '')

  test('is at least five levels deep, and live before the revocation', async () => {
    const reader = sqliteReadStore(file, TEST_VAULT_KEY)
    try {
      const { live_tokens, agents } = await reader.blastRadius(root.jti, NOW_MS)
      assert.deepEqual([live_tokens, agents.length], [DESCENDANTS + 1, 101])
      const deepest = await reader.chain(tokens.at(-1)?.jti ?? '')
      assert.ok((deepest?.length ?? 0) >= 5)
    } finally {
      await reader.close()
    }
    const answers = await run(sample().map(anAsk))
    assert.ok(answers.every((answer) => (answer as AuthorizationOutcome).allowed)) // outcomes of authorize commands
  })

  test('stops working all at once with one revocation of the root', async (context) => {
    const started = performance.now()
    const [outcome] = await run([{ kind: 'revoke', vat_jti: root.jti, reason: undefined }])
    context.diagnostic(`revoked in ${(performance.now() - started).toFixed(1)} ms`)
    assert.equal((outcome as RevokeOutcome).revoked_count, DESCENDANTS + 1) // the outcome of a revoke command
    for (const answer of (await run(sample().map(anAsk))) as AuthorizationOutcome[]) // outcomes of authorize commands
      assert.deepEqual(answer.allowed ? [] : answer.reasons, ['token_revoked'])
  })
})
