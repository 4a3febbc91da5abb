import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { describe, type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { RegisterCommand } from '../../src/clerk/command.ts'
import {
  REGISTRY_KINDS,
  type RegistryEntry,
  type RegistryFilter,
  type RegistryKind,
} from '../../src/store/port/registry.ts'
import { erase, issue, type OpenStore, outcomeOf, refusalOf, run } from './store-contract.ts'

const FIRST_PAGE = { limit: 100, before: undefined }
const SOMEONE = 'sha256:someone'
const OTHER = 'sha256:other'

/** The promises of every store about the registry. */
export function registryContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, registry`, () => {
    test('returns nothing for unknown entries', async (context) => {
      const { registry } = (await open(context)).reader
      assert.equal(await registry.entry('tenant', 'acme'), undefined)
      assert.deepEqual(await registry.list('tenant', {}, FIRST_PAGE), { entries: [], before: undefined })
    })

    test('shows an entry as soon as it is acknowledged, and after a restart', async (context) => {
      const store = await open(context)
      const [entered] = await run(store, [passkey('p', SOMEONE)])
      const { log_index } = outcomeOf(entered)
      const wanted = entryOf(passkey('p', SOMEONE), log_index)
      assert.deepEqual(await store.reader.registry.entry('passkey', 'p'), wanted)
      assert.equal(await store.reader.registry.entry('api_key', 'p'), undefined)
      assert.deepEqual(await (await store.reopen()).reader.registry.entry('passkey', 'p'), wanted)
    })

    test('logs each change as a leaf that contains only digests', async (context) => {
      const store = await open(context)
      await run(store, [
        passkey('p', SOMEONE),
        apiKey('k'),
        apiKey('k', { document: '{"name":"second"}', expects: 'any' }),
        apiKey('k', { document: undefined, expects: 'any', by: 'key:operator' }),
        passkey('p', SOMEONE, { document: undefined, expects: 'any', by: `human:${SOMEONE}` }),
      ])
      const leaves = (await store.leaves()).map(({ leaf }) => {
        const { salt, ...members } = JSON.parse(leaf)
        assert.match(salt, /^[\w-]{22}$/)
        return members
      })
      const id_ref = (id: string) => `sha256:${hash('sha256', id)}`
      const digests = leaves.map(({ document_digest }) => document_digest)
      for (const digest of digests.slice(0, 3)) assert.match(digest, /^sha256:[0-9a-f]{64}$/)
      assert.equal(new Set(digests.slice(0, 3)).size, 3)
      const common = { v: 1, type: 'registry.changed', at: leaves[0].at }
      assert.deepEqual(leaves, [
        {
          ...common,
          kind: 'passkey',
          id_ref: id_ref('p'),
          tenant_id: 'acme',
          human_ref: SOMEONE,
          document_digest: digests[0],
        },
        { ...common, kind: 'api_key', id_ref: id_ref('k'), tenant_id: 'acme', document_digest: digests[1] },
        { ...common, kind: 'api_key', id_ref: id_ref('k'), tenant_id: 'acme', document_digest: digests[2] },
        {
          ...common,
          kind: 'api_key',
          id_ref: id_ref('k'),
          tenant_id: 'acme',
          removed: true,
          by: `key:${id_ref('operator')}`,
        },
        {
          ...common,
          kind: 'passkey',
          id_ref: id_ref('p'),
          tenant_id: 'acme',
          human_ref: SOMEONE,
          removed: true,
          by: `human:${SOMEONE}`,
        },
      ])
    })

    test('stores documents encrypted', async (context) => {
      const store = await open(context)
      await run(store, [
        passkey('p', SOMEONE, { document: '{"word":"a canary of somebody"}' }),
        apiKey('k', { document: '{"word":"a canary of nobody"}' }),
      ])
      for (const word of ['canary of somebody', 'canary of nobody'])
        assert.equal(await store.holds(word), false)
    })

    test('changes an entry only at the version that the caller read, and otherwise refuses with registry_conflict', async (context) => {
      const store = await open(context)
      const conflicts = async (command: RegisterCommand) =>
        assert.equal(refusalOf((await run(store, [command]))[0]).code, 'registry_conflict')
      await conflicts(apiKey('k', { expects: 0 }))
      const first = await entered(store, apiKey('k'))
      await conflicts(apiKey('k'))
      const changed = { document: '{"name":"second"}' }
      const second = await entered(store, apiKey('k', { ...changed, expects: first }))
      await conflicts(apiKey('k', { ...changed, expects: first }))
      await conflicts(apiKey('k', { document: undefined, expects: first }))
      assert.equal((await store.reader.registry.entry('api_key', 'k'))?.document, changed.document)
      assert.equal((await store.reader.registry.entry('api_key', 'k'))?.log_index, second)
      await entered(store, apiKey('k', { document: undefined, expects: second }))
      assert.equal((await store.leaves()).length, 3)
    })

    test('lets one of many callers succeed, in one batch or in several', async (context) => {
      const store = await open(context)
      const together = await run(
        store,
        Array.from({ length: 8 }, (_, caller) => apiKey('k', { document: `{"caller":${caller}}` })),
      )
      assert.deepEqual(
        together.map((reply) => 'outcome' in reply),
        [true, ...Array(7).fill(false)],
      )
      const { log_index } = outcomeOf(together[0])
      const answers: boolean[] = []
      for (let caller = 0; caller < 8; caller += 1) {
        const [reply] = await run(store, [apiKey('k', { expects: log_index })])
        answers.push(reply !== undefined && 'outcome' in reply)
      }
      assert.deepEqual(answers, [true, ...Array(7).fill(false)])
    })

    test('keeps the row of a removed entry, which can be added again', async (context) => {
      const store = await open(context)
      await entered(store, apiKey('k'))
      const removed = await entered(store, apiKey('k', { document: undefined, expects: 'any' }))
      assert.deepEqual(
        await store.reader.registry.entry('api_key', 'k'),
        entryOf(apiKey('k', { document: undefined }), removed),
      )
      const size = (await store.leaves()).length
      const [again] = await run(store, [apiKey('k', { document: undefined, expects: 'any' })])
      assert.equal(outcomeOf(again).log_index, undefined)
      assert.equal((await store.leaves()).length, size)
      await entered(store, apiKey('k', { tenant_id: 'other' }))
      assert.equal((await store.reader.registry.entry('api_key', 'k'))?.tenant_id, 'other')
    })

    test('shows nothing to another tenant or person', async (context) => {
      const store = await open(context)
      await entered(store, passkey('p', SOMEONE))
      for (const command of [
        passkey('p', OTHER, { expects: 'any' }),
        passkey('p', SOMEONE, { expects: 'any', tenant_id: 'other' }),
        passkey('p', OTHER, { expects: 'any', document: undefined }),
      ])
        assert.equal(refusalOf((await run(store, [command]))[0]).code, 'registry_conflict')
      await run(store, [
        {
          kind: 'many',
          items: [passkey('p', SOMEONE, { expects: 'any', document: undefined }), passkey('p', OTHER)],
        },
      ])
      assert.equal((await store.reader.registry.entry('passkey', 'p'))?.owner, OTHER)
    })

    test('erases the entries of a person, which then read as removed', async (context) => {
      const store = await open(context)
      await run(store, [issue('a'), passkey('p', SOMEONE), passkey('q', OTHER), apiKey('k')])
      const [erased] = await run(store, [erase(SOMEONE)])
      assert.equal(outcomeOf(erased).already_erased, false)
      for (const look of [async () => store, store.reopen]) {
        const seen = await look()
        const { registry } = seen.reader
        assert.equal((await registry.entry('passkey', 'p'))?.document, undefined)
        assert.equal((await registry.entry('passkey', 'p'))?.owner, SOMEONE)
        assert.notEqual((await registry.entry('passkey', 'q'))?.document, undefined)
        assert.notEqual((await registry.entry('api_key', 'k'))?.document, undefined)
        assert.deepEqual(await listed(seen, 'passkey', {}), ['q'])
        assert.deepEqual(await listed(seen, 'passkey', { owner: SOMEONE }), [])
      }
    })

    test('erases a person who has only a registry entry, and treats them as new afterwards', async (context) => {
      const store = await open(context)
      await entered(store, passkey('p', SOMEONE))
      await run(store, [erase(SOMEONE)])
      const [anew] = await run(store, [passkey('p', SOMEONE), passkey('q', SOMEONE)])
      assert.equal(typeof outcomeOf(anew).log_index, 'number')
      assert.deepEqual(await listed(store, 'passkey', { owner: SOMEONE }), ['q', 'p'])
      await run(store, [erase(SOMEONE)])
      assert.deepEqual(await listed(store, 'passkey', { owner: SOMEONE }), [])
    })

    test('lists by tenant and by owner, in pages, newest change first', async (context) => {
      const store = await open(context)
      const ids = Array.from({ length: 7 }, (_, index) => `p${index}`)
      await run(store, [
        ...ids.map((id, index) =>
          passkey(id, index % 2 ? SOMEONE : OTHER, { tenant_id: index < 4 ? 'acme' : 'other' }),
        ),
        apiKey('k'),
        passkey('p1', SOMEONE, { expects: 'any', document: '{"changed":true}' }),
        passkey('p6', OTHER, { expects: 'any', document: undefined, tenant_id: 'other' }),
      ])
      for (const limit of [1, 2, 100]) {
        assert.deepEqual(await listed(store, 'passkey', {}, limit), ['p1', 'p5', 'p4', 'p3', 'p2', 'p0'])
        assert.deepEqual(await listed(store, 'passkey', { tenant_id: 'acme' }, limit), [
          'p1',
          'p3',
          'p2',
          'p0',
        ])
        assert.deepEqual(await listed(store, 'passkey', { owner: SOMEONE }, limit), ['p1', 'p5', 'p3'])
        assert.deepEqual(await listed(store, 'passkey', { tenant_id: 'other', owner: OTHER }, limit), ['p4'])
        assert.deepEqual(await listed(store, 'identity', {}, limit), [])
      }
    })

    test('repeats the answer to a repeated request until its owner is erased', async (context) => {
      const store = await open(context)
      const command = { ...passkey('p', SOMEONE), replay: { key: 'k', fingerprint: 'f' } }
      const [first, second] = await run(store, [command, command])
      assert.deepEqual(outcomeOf(second), outcomeOf(first))
      const [, third] = await run(store, [erase(SOMEONE), command])
      assert.ok(outcomeOf(third).log_index > outcomeOf(first).log_index)
    })

    test('does not decrypt an entry that was moved to another tenant', async (context) => {
      const store = await open(context)
      await run(store, [apiKey('k'), apiKey('l')])
      await store.moveEntry('k', 'other')
      await assert.rejects(store.reader.registry.entry('api_key', 'k'), /was found in the wrong place/)
      assert.equal((await store.reader.registry.entry('api_key', 'l'))?.tenant_id, 'acme')
    })

    test('matches a simple model after any history', async (context) => {
      await fc.assert(
        fc.asyncProperty(history, async (batches) => {
          const store = await open(context)
          const model = new Map<string, RegistryEntry>()
          for (const batch of batches) {
            const size = (await store.leaves()).length
            const replies = await run(store, batch)
            let next = size
            for (const [index, command] of batch.entries()) {
              const [isTaken, hasLeaf] = expected(command, model, next)
              const reply = replies[index]
              assert.equal(reply !== undefined && 'outcome' in reply, isTaken, JSON.stringify(command))
              if (hasLeaf) next += 1
            }
            assert.equal((await store.leaves()).length, next)
          }
          const { reader } = await store.reopen()
          for (const { kind, id } of NAMES)
            assert.deepEqual(await reader.registry.entry(kind, id), model.get(`${kind} ${id}`))
        }),
        { numRuns: 15 },
      )
    })
  })
}

/** The model's result for a command: whether it is accepted, and whether it adds a leaf. */
function expected(
  command: RegisterCommand,
  model: Map<string, RegistryEntry>,
  log_index: number,
): [isTaken: boolean, hasLeaf: boolean] {
  const key = `${command.entry_kind} ${command.id}`
  const known = model.get(key)
  const isThere = known?.document !== undefined
  if (command.expects === 'absent' && isThere) return [false, false]
  if (typeof command.expects === 'number' && known?.log_index !== command.expects) return [false, false]
  if (isThere && (known.tenant_id !== command.tenant_id || known.owner !== command.owner))
    return [false, false]
  if (command.document === undefined && !isThere) return [true, false]
  model.set(key, entryOf(command, log_index))
  return [true, true]
}

const NAMES = (['tenant', 'passkey'] as const).flatMap((kind) => ['x', 'y'].map((id) => ({ kind, id })))

const history = fc.array(
  fc.array(
    fc.record({
      kind: fc.constant('register' as const),
      entry_kind: fc.constantFrom(...NAMES.map(({ kind }) => kind)),
      id: fc.constantFrom('x', 'y'),
      tenant_id: fc.constantFrom('acme', 'acme', 'other'),
      owner: fc.constantFrom(undefined, undefined, SOMEONE),
      document: fc.constantFrom(undefined, '{"n":1}', '{"n":2}'),
      expects: fc.constantFrom('absent' as const, 'any' as const, 'any' as const, 0, 1, 2, 3),
    }),
    { minLength: 1, maxLength: 6 },
  ),
  { maxLength: 6 },
)

export function passkey(id: string, owner: string, changes: Partial<RegisterCommand> = {}): RegisterCommand {
  return { ...command('passkey', id), owner, ...changes }
}

export function apiKey(id: string, changes: Partial<RegisterCommand> = {}): RegisterCommand {
  return { ...command('api_key', id), ...changes }
}

function command(entry_kind: RegistryKind, id: string): RegisterCommand {
  assert.ok(REGISTRY_KINDS.includes(entry_kind))
  return {
    kind: 'register',
    entry_kind,
    id,
    tenant_id: 'acme',
    owner: undefined,
    document: `{"name":"${id}"}`,
    expects: 'absent',
  }
}

/** The registry entry after an accepted command. */
function entryOf(
  { entry_kind, id, tenant_id, owner, document }: RegisterCommand,
  log_index: number,
): RegistryEntry {
  return { kind: entry_kind, id, tenant_id, owner, document, log_index }
}

async function entered(store: OpenStore, one: RegisterCommand): Promise<number> {
  const [reply] = await run(store, [one])
  const { log_index } = outcomeOf(reply)
  assert.equal(typeof log_index, 'number')
  return log_index
}

async function listed(
  { reader }: OpenStore,
  kind: RegistryKind,
  filter: RegistryFilter,
  limit = 100,
): Promise<string[]> {
  const ids: string[] = []
  let before: number | undefined
  do {
    const page = await reader.registry.list(kind, filter, { limit, before })
    ids.push(...page.entries.map(({ id }) => id))
    before = page.before
  } while (before !== undefined)
  return ids
}
