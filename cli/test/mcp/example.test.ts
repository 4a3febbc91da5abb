import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { aService } from './a-guarded-client.ts'

test('the example reads, is not allowed to write, and leaves a record', async (t) => {
  const { program } = await aService(t)
  const file = fileURLToPath(new URL('../../../examples/mcp/files.ts', import.meta.url))
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env.PATH, DEPUTY_URL: program.url },
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
  assert.match(output, /read: done\nBuy milk/)
  assert.match(output, /write: denied\nNot done: write_file \(write on mcp:files\)/)
  assert.match(output, /1 call is on record under prov_/)
})
