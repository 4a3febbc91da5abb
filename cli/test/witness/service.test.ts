import assert from 'node:assert/strict'
import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { openCheckpoint, readVkey } from '@deputize/protocol'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program, startProgram } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

/** After a pause, a service asks a witness that didn't answer in time again. */
const NOTICED_MS = 200_000

async function aWitness(t: TestContext, vkey: string, directory: string): Promise<Program> {
  return aProgram(t, '/nowhere', {}, [
    ...[process.execPath, CLI, 'witness', '--port', '0', '--data', directory],
    ...['--name', 'witness.example/w1', '--log', vkey],
  ])
}

async function logKey({ url }: Program): Promise<string> {
  const response = await fetch(`${url}/.well-known/deputy.json`)
  return ((await response.json()) as { log: { vkey: string } }).log.vkey
}

async function issue(t: TestContext, { url }: Program): Promise<void> {
  assert.equal((await httpClient(t, url).post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
}

describe('a service with a witness', () => {
  test('publishes only cosigned checkpoints, and a rollback is detected', async (t) => {
    const data = temporaryDirectory(t)
    const first = await startProgram(data)
    const vkey = await logKey(first)
    await issue(t, first)
    assert.equal(await first.stop(), 0)
    copyFileSync(join(data, 'deputy.db'), join(data, 'yesterday'))

    const witness = await aWitness(t, vkey, temporaryDirectory(t))
    const page = await (await fetch(witness.url)).text()
    const witnessKey = /^key +(\S+)$/m.exec(page)?.[1] ?? assert.fail(page)
    const env = {
      DEPUTY_WITNESSES: `${witnessKey} ${witness.url}`,
      DEPUTY_WITNESS_QUORUM: '1',
      DEPUTY_CHECKPOINT_INTERVAL_MS: '100',
    }
    const program = await aProgram(t, data, env)
    await issue(t, program)
    const checkpoint = await eventually('a cosigned checkpoint', async () => {
      const response = await fetch(`${program.url}/checkpoint`)
      if (response.status !== 200) return undefined
      const opened = await openCheckpoint(await response.text(), readVkey(vkey), [readVkey(witnessKey)])
      return opened.size === 2 ? opened : undefined
    })
    assert.deepEqual(
      checkpoint.witnesses.map(({ key }) => key.name),
      ['witness.example/w1'],
    )
    assert.equal(await program.stop(), 0)

    // An old store is restored and the checkpoint file removed; the witness still remembers.
    copyFileSync(join(data, 'yesterday'), join(data, 'deputy.db'))
    rmSync(join(data, 'checkpoint'))
    const rolledBack = await aProgram(t, data, env)
    await eventually(
      'the witness notices',
      () => /rolled back or forked/.test(rolledBack.output()),
      NOTICED_MS,
    )
    assert.equal((await fetch(`${rolledBack.url}/readyz`)).status, 200)
    assert.match(rolledBack.output(), /"kind":"ahead"/)
  })
})
