import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aService } from '@deputize/testing/a-guarded-client.ts'

/** Runs an example, which must succeed, and returns what it prints. */
async function printed(t: TestContext, name: string): Promise<string> {
  const { program } = await aService(t)
  const file = fileURLToPath(new URL(`../../../examples/mcp/${name}`, import.meta.url))
  const child = spawn(process.execPath, [file], {
    env: { ...process.env, DEPUTY_URL: program.url },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  assert.equal(code, 0, output)
  return output
}

test('the files example reads, is denied a write, and leaves a record', async (t) => {
  const output = await printed(t, 'files.ts')
  assert.match(output, /read: done\nBuy milk/)
  assert.match(output, /write: denied\nNot done: write_file \(write on mcp:files\)/)
  assert.match(output, /1 call is on record under prov_/)
})

test('the operations example issues, records, reads and revokes', async (t) => {
  assert.match(await printed(t, 'operations.ts'), /errand-bot has done 1 thing\nrevoked: true\n/)
})
