import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, type TestContext, test } from 'node:test'
import { append, emptyFrontier, encodeFrontier, leafHash } from '@deputize/protocol'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Ending, refusedStart, startProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

/** Starts the program, issues some tokens, and stops it. */
async function issueSome(context: TestContext, directory: string, count: number, env = {}): Promise<void> {
  const program = await startProgram(directory, env)
  const client = httpClient(context, program.url)
  for (let index = 0; index < count; index += 1)
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
  assert.equal(await program.stop(), 0)
}

function assertRefused({ code, output }: Ending, reason: RegExp): void {
  assert.equal(code, 78, output)
  assert.match(output, reason)
}

describe('a store that is behind its last signed checkpoint', () => {
  test('refuses to start, and explains what to do', async (context) => {
    const directory = temporaryDirectory(context)
    const store = join(directory, 'deputy.db')
    await issueSome(context, directory, 3)
    copyFileSync(store, join(directory, 'yesterday'))
    await issueSome(context, directory, 2)
    copyFileSync(join(directory, 'yesterday'), store)
    const refused = await refusedStart(directory)
    assertRefused(refused, /holds 3 log entries, but a checkpoint over 5 was signed/)
    assert.ok(refused.output.includes(join(directory, 'checkpoint')))
    renameSync(join(directory, 'checkpoint'), join(directory, 'checkpoint.lost'))
    const program = await aProgram(context, directory)
    assert.equal((await fetch(`${program.url}/readyz`)).status, 200)
  })

  test('refuses to start with different entries, even if they are consistent with each other', async (context) => {
    const directory = temporaryDirectory(context)
    await issueSome(context, directory, 3)
    forge(join(directory, 'deputy.db'))
    assertRefused(await refusedStart(directory), /do not match the checkpoint in /)
  })

  test('is also detected with a checkpoint on another disk', async (context) => {
    const directory = temporaryDirectory(context)
    const elsewhere = join(temporaryDirectory(context), 'deputy.checkpoint')
    const env = { DEPUTY_CHECKPOINT_FILE: elsewhere }
    await issueSome(context, directory, 2, env)
    assert.match(readFileSync(elsewhere, 'utf8'), /^deputy\/\w+\n2\n/)
    rmSync(join(directory, 'deputy.db')) // the whole history
    assertRefused(await refusedStart(directory, env), /holds 0 log entries/)
  })
})

describe('the name of a log', () => {
  test('is set once and never changes', async (context) => {
    const directory = temporaryDirectory(context)
    await issueSome(context, directory, 1, { DEPUTY_LOG_ORIGIN: 'log.example.com/deputy' })
    assert.match(readFileSync(join(directory, 'checkpoint'), 'utf8'), /^log\.example\.com\/deputy\n1\n/)
    const renamed = await refusedStart(directory, { DEPUTY_LOG_ORIGIN: 'other.example.com' })
    assertRefused(renamed, /is named log\.example\.com\/deputy, and a log can't be renamed/)
    await issueSome(context, directory, 1)
    assertRefused(
      await refusedStart(directory, { DEPUTY_LOG_ORIGIN: 'two words' }),
      /must not contain spaces or plus signs/,
    )
  })
})

/** Changes an entry and everything computed from it, as an attacker with the file could. */
function forge(file: string): void {
  const db = new DatabaseSync(file)
  db.exec('DROP TRIGGER leaves_never_change')
  const text = String(db.prepare('SELECT leaf FROM leaves WHERE log_index = 1').get()?.leaf)
  const forged = text.replace('calendar-bot', 'calendar-rob')
  db.prepare('UPDATE leaves SET leaf = ?, leaf_hash = ? WHERE log_index = 1').run(forged, leafHash(forged))
  const frontier = emptyFrontier()
  for (const { leaf } of db.prepare('SELECT leaf FROM leaves ORDER BY log_index').all())
    append(frontier, leafHash(String(leaf)))
  db.prepare('UPDATE log_head SET frontier = ?').run(encodeFrontier(frontier))
  db.close()
}
