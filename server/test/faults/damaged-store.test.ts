import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { logSize } from '../e2e/audit-store.ts'

const EXIT_CONFIG = 78
const WRITES = 5

const whole = await aUsedDirectory({ after })

/** A data directory after an orderly shutdown. */
async function aUsedDirectory(scope: TestScope): Promise<string> {
  const directory = temporaryDirectory(scope)
  const program = await aProgram(scope, directory)
  const client = httpClient(scope, program.url)
  for (let n = 0; n < WRITES; n++)
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
  client.close()
  assert.equal(await program.stop(), 0)
  return directory
}

function aCopy(scope: TestScope): string {
  const directory = temporaryDirectory(scope)
  cpSync(whole, directory, { recursive: true })
  return directory
}

const keyFile = (directory: string) => join(directory, 'keys.json')

function changeKeys(directory: string, change: (keys: KeyFile) => unknown): void {
  const keys: KeyFile = JSON.parse(readFileSync(keyFile(directory), 'utf8'))
  writeFileSync(keyFile(directory), JSON.stringify(change(keys)))
}

interface KeyFile {
  version: number
  instance: string
  secret: string
  keys: { kid: string; x: string; d?: string }[]
}

function withStore(directory: string, use: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(join(directory, 'deputy.db'))
  try {
    use(db)
  } finally {
    db.close()
  }
}

/** RFC 8037 A.1: the private part is public. */
const PUBLISHED = {
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
}

interface Damage {
  damage(directory: string): void | Promise<void>
  env?: Record<string, string>
  code: number
  says: RegExp
}

const DAMAGES: Record<string, Damage> = {
  'the key file is missing': {
    damage: (directory) => rmSync(keyFile(directory)),
    code: EXIT_CONFIG,
    says: /keys\.json is missing, although the store beside it exists\. Restore it from a backup/,
  },
  'others may read the key file': {
    damage: (directory) => chmodSync(keyFile(directory), 0o644),
    code: EXIT_CONFIG,
    says: /keys\.json can be read by others\. Run: chmod 600 /,
  },
  'the key file holds a published test key': {
    damage: (directory) =>
      changeKeys(directory, (file) => ({
        ...file,
        keys: file.keys.map((key) => ({ ...key, ...PUBLISHED })),
      })),
    code: EXIT_CONFIG,
    says: /keys\.json holds a published test key/,
  },
  'the private key is not that of the public one': {
    damage(directory) {
      const { d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
      changeKeys(directory, (file) => ({ ...file, keys: file.keys.map((key) => ({ ...key, d })) }))
    },
    code: EXIT_CONFIG,
    says: /keys\.json/,
  },
  'the key file is cut off': {
    damage: (directory) =>
      writeFileSync(keyFile(directory), readFileSync(keyFile(directory)).subarray(0, 100)),
    code: EXIT_CONFIG,
    says: /keys\.json is not a key file/,
  },
  'the key file is empty': {
    damage: (directory) => writeFileSync(keyFile(directory), ''),
    code: EXIT_CONFIG,
    says: /keys\.json is not a key file/,
  },
  'the key file is of another version': {
    damage: (directory) => changeKeys(directory, (file) => ({ ...file, version: 99 })),
    code: EXIT_CONFIG,
    says: /keys\.json is not a key file/,
  },
  'the key file has lost its signing key': {
    damage: (directory) =>
      changeKeys(directory, (file) => ({ ...file, keys: file.keys.map(({ d: _, ...key }) => key) })),
    code: EXIT_CONFIG,
    says: /does not hold an active key for tokens/,
  },
  'the last leaf of the log is gone': {
    damage: (directory) =>
      withStore(directory, (db) =>
        db.exec(`
          DROP TRIGGER leaves_never_go;
          DELETE FROM leaves WHERE log_index = (SELECT max(log_index) FROM leaves)`),
      ),
    code: EXIT_CONFIG,
    says: new RegExp(
      `The log holds ${WRITES - 1} leaves, but its head says ${WRITES}: the data is damaged.*deputy restore`,
    ),
  },
  'the log has a leaf too many': {
    damage: (directory) =>
      withStore(directory, (db) =>
        db.exec(`INSERT INTO leaves (log_index, leaf_hash, leaf) VALUES (${WRITES}, zeroblob(32), '{}')`),
      ),
    code: EXIT_CONFIG,
    says: new RegExp(`The log holds ${WRITES + 1} leaves, but its head says ${WRITES}`),
  },
  'the head of the log is gone': {
    damage: (directory) => withStore(directory, (db) => db.exec('DELETE FROM log_head')),
    code: EXIT_CONFIG,
    says: new RegExp(`The log holds ${WRITES} leaves, but its head says 0`),
  },
  'the store is that of another deployment': {
    async damage(directory) {
      const other = await aUsedDirectory({ after })
      cpSync(join(other, 'deputy.db'), join(directory, 'deputy.db'))
    },
    code: EXIT_CONFIG,
    says: /The store and the keys in this data directory belong to different deployments\. Put /,
  },
  'the store was written by a newer version': {
    damage: (directory) => withStore(directory, (db) => db.exec('PRAGMA user_version = 999')),
    code: EXIT_CONFIG,
    says: /written by a newer version of Deputy/,
  },
  'the store is not a database': {
    damage: (directory) => writeFileSync(join(directory, 'deputy.db'), 'hello'.repeat(10_000)),
    code: EXIT_CONFIG,
    says: /The store in .* is damaged: file is not a database\. .*deputy restore/,
  },
  'a page of the store is damaged': {
    damage(directory) {
      const file = join(directory, 'deputy.db')
      const pages = readFileSync(file)
      writeFileSync(file, pages.fill(0xff, 100, 4096))
    },
    code: EXIT_CONFIG,
    says: /The store in .* is damaged: .*malformed\. .*deputy restore/,
  },
  'the checkpoint file cannot be written': {
    damage() {},
    env: { DEPUTY_CHECKPOINT_FILE: 'c'.repeat(250) }, // short enough for a note, but too long for its draft
    code: EXIT_CONFIG,
    says: /The checkpoint file .*c can't be written .* DEPUTY_CHECKPOINT_FILE/,
  },
  'the checkpoint file is a directory': {
    damage() {},
    env: { DEPUTY_CHECKPOINT_FILE: '.' },
    code: EXIT_CONFIG,
    says: /The checkpoint file .* can't be read \(EISDIR.* DEPUTY_CHECKPOINT_FILE/,
  },
  'the data directory is a file': {
    damage(directory) {
      rmSync(directory, { recursive: true })
      writeFileSync(directory, '')
    },
    code: EXIT_CONFIG,
    says: /DEPUTY_DATA_DIR must be a directory/,
  },
  'the ephemeral data is not a database': {
    damage: (directory) => writeFileSync(join(directory, 'ephemeral.db'), 'hello'.repeat(10_000)),
    code: EXIT_CONFIG,
    says: /ephemeral\.db cannot be used: file is not a database\. .* you may delete it/,
  },
  'the deliveries are not a database': {
    damage: (directory) => writeFileSync(join(directory, 'deliveries.db'), 'hello'.repeat(10_000)),
    code: EXIT_CONFIG,
    says: /deliveries\.db cannot be used: file is not a database\. .* you may delete it/,
  },
}

describe('the program refuses to start, in one sentence, when', () => {
  for (const [name, { damage, env, code, says }] of Object.entries(DAMAGES)) {
    test(name, async (t) => {
      const directory = aCopy(t)
      await damage(directory)
      const ending = await refusedStart(directory, env)
      assert.equal(ending.code, code, ending.output)
      assert.match(ending.output, /^Deputy cannot start\.\n {2}- /)
      assert.match(ending.output, says)
      assert.doesNotMatch(ending.output, /\n\s+at /, 'it shows a stack')
    })
  }
})

describe('a refused start', () => {
  test('creates no new keys for an existing store', async (t) => {
    const directory = aCopy(t)
    rmSync(keyFile(directory))
    await refusedStart(directory)
    assert.ok(!existsSync(keyFile(directory)))
  })

  test('changes nothing and releases the directory', async (t) => {
    const directory = aCopy(t)
    chmodSync(keyFile(directory), 0o644)
    await refusedStart(directory)
    chmodSync(keyFile(directory), 0o600)
    const program = await aProgram(t, directory)
    const client = httpClient(t, program.url)
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
    assert.equal(await program.stop(), 0)
    assert.equal(logSize(directory), WRITES + 1)
  })
})

test('after an orderly shutdown the store and the ephemeral data are one file each, so that a copy is a backup', () => {
  assert.deepEqual(readdirSync(whole).sort(), [
    'checkpoint',
    'deliveries.db',
    'deputy.db',
    'deputy.lock',
    'ephemeral.db',
    'keys.json',
    'reserve',
    'stop-requests',
  ])
})

test('a start without the checkpoint file warns if the store has signed checkpoints', async (t) => {
  const directory = aCopy(t)
  const warning = /the checkpoint file is missing, although this store has signed/
  const usual = await aProgram(t, directory)
  assert.equal(await usual.stop(), 0)
  assert.doesNotMatch(usual.output(), warning)
  rmSync(join(directory, 'checkpoint'))
  const program = await aProgram(t, directory)
  assert.equal(await program.stop(), 0)
  assert.match(program.output(), warning)
})

test('no other user can read the keys', () => {
  assert.equal(statSync(keyFile(whole)).mode & 0o777, 0o600)
})
