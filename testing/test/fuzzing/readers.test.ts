import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { FUZZ_TARGETS } from '../../fuzzing/fuzz-targets.ts'

/** For a long run: FUZZ_INPUTS=10000000, and another FUZZ_SEED each time. */
const INPUTS = Number(process.env.FUZZ_INPUTS ?? 12_000)
const SEED = Number(process.env.FUZZ_SEED ?? 1)
/** A process that takes longer is killed, because it may be reading an input forever. */
const LIMIT_MS = 120_000 + 10 * INPUTS

interface Printed {
  readonly accepted: number
  readonly corpus: number
  readonly reached: number
  readonly known: number
}

async function run(program: string, ...values: readonly string[]): Promise<string> {
  // Functions from a compile cache have no blocks.
  const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
  const file = fileURLToPath(new URL(program, import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...values], {
    env,
    timeout: LIMIT_MS,
  })
  return stdout
}

test('new blocks lead to a fault that chance alone does not find', { timeout: LIMIT_MS }, async () => {
  await assert.rejects(run('./planted-process.ts'), /read wrongly: ZnV6e/) // the base64 of bytes that begin with `fuzy`
})

describe('inputs that search for new blocks are refused as declared, or read correctly:', () => {
  for (const name of Object.keys(FUZZ_TARGETS))
    test(name, { timeout: LIMIT_MS + 30_000 }, async (t) => {
      const printed = await run('../../fuzzing/fuzz-process.ts', name, String(INPUTS), String(SEED))
      const { accepted, corpus, reached, known }: Printed = JSON.parse(printed)
      assert.ok(corpus > 1, 'nothing new was reached: blocks are not counted')
      t.diagnostic(`${INPUTS} inputs, ${accepted} accepted, ${corpus} kept, ${reached} of ${known} blocks`)
    })
})
