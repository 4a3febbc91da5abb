import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { openCheckpoint, readVkey } from '@deputize/protocol'
import { aDatabase } from '@deputize/testing/a-database.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { parse } from 'yaml'

const text = readFileSync(new URL('../container/compose.yaml', import.meta.url), 'utf8')

/** The services, with variables replaced as Compose does. */
function servicesWith(variables: Readonly<Record<string, string>>) {
  const filled = (value: string) =>
    value.replaceAll(
      /\$\{(\w+)(?::[-?]([^}]*))?\}/g,
      (_, name: string, otherwise = '') => variables[name] ?? otherwise,
    )
  return parse(text, (_, value) => (typeof value === 'string' ? filled(value) : value)).services
}

interface Volumes {
  readonly node: string
  readonly database_url: string
}

async function aNode(t: TestContext, { node, database_url }: Volumes, witnesses: string): Promise<Program> {
  const { environment } = servicesWith({
    DEPUTY_PUBLIC_URL: 'https://deputy.example.com',
    POSTGRES_PASSWORD: 'secret',
    DEPUTY_WITNESSES: witnesses,
  }).deputy
  assert.match(environment.DEPUTY_DATABASE_URL, /^postgres:\/\/deputy:secret@database:5432\/deputy$/)
  const own = { DEPUTY_ACCESS: 'keyed', DEPUTY_DATABASE_URL: database_url }
  return aProgram(t, node, { ...environment, ...own })
}

test('the services of the compose file start as its head says, and the witness cosigns', async (t) => {
  const volumes = { node: temporaryDirectory(t), database_url: await aDatabase(t) }
  const node = await aNode(t, volumes, '')
  const { log } = (await httpClient(t, node.url).get('/.well-known/deputy.json')).body

  const here: Record<string, string> = { '0.0.0.0': '127.0.0.1', 8421: '0', '/data': temporaryDirectory(t) }
  const command: string[] = servicesWith({ DEPUTY_LOG: log.vkey }).witness.command
  const witness = await aProgram(t, '/nowhere', {}, [
    process.execPath,
    CLI,
    ...command.map((argument) => here[argument] ?? argument),
  ])
  const page = await (await fetch(witness.url)).text()
  const [, key = ''] = /^key\s+(.+)$/m.exec(page) ?? []

  await node.stop()
  const again = await aNode(t, volumes, `${key} ${witness.url}`)
  await eventually('a checkpoint with a cosignature', async () => {
    const answer = await fetch(`${again.url}/checkpoint`)
    if (!answer.ok) return false
    const { witnesses } = await openCheckpoint(await answer.text(), readVkey(log.vkey), [readVkey(key)])
    return witnesses.length === 1
  })
})
