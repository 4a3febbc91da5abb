import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url))
const GUIDE = fileURLToPath(new URL('../../docs/guides/agent-frameworks.md', import.meta.url))
const NAMES = ['ai-sdk.ts', 'langchain.ts', 'openai-agents.ts']
const run = promisify(execFile)
const open = await anOpenDeployment({ after })

async function outputOf(name: string): Promise<string> {
  const env = { ...process.env, DEPUTY_URL: open.url }
  const { stdout } = await run(process.execPath, [join(EXAMPLES, name)], { env })
  return stdout.replaceAll(/(den|apr)_\w+/g, '$1_...')
}

const REFUSED = `Not done: delete_event (delete on calendar:work) is not allowed.
Reasons: action_not_in_scope.
The token does not allow this action. Ask the person who granted it for a token that does.
The denial is stored as den_....
I may not delete it. Please ask for me.
recorded: read calendar:work success
`

describe('the examples', () => {
  test('are all covered by this test and linked from the guide', () => {
    const guide = readFileSync(GUIDE, 'utf8')
    assert.deepEqual(globSync('*.ts', { cwd: EXAMPLES }).sort(), NAMES)
    for (const name of NAMES) assert.ok(guide.includes(`../../integrations/examples/${name}`), name)
  })

  test('match the code in the guide', () => {
    const sources = NAMES.map((name) => readFileSync(join(EXAMPLES, name), 'utf8'))
    const blocks = [...readFileSync(GUIDE, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
    assert.ok(blocks.length >= 3)
    for (const [, block = ''] of blocks)
      assert.ok(
        sources.some((source) => source.includes(block)),
        block,
      )
  })

  test('print the denial text of the guide', async () => {
    const [, shown = ''] = /^```text\n([\s\S]*?)^```$/m.exec(readFileSync(GUIDE, 'utf8')) ?? []
    assert.ok(REFUSED.startsWith(shown) && shown.length > 100, shown)
  })

  test('ai-sdk reads, is denied, and continues', async () => {
    const output = await outputOf('ai-sdk.ts')
    assert.equal(output, `read_events: stand-up (work),lunch (work)\nToolDenied: ${REFUSED}`)
  })

  test('langchain reads, is denied, and continues', async () => {
    const output = await outputOf('langchain.ts')
    assert.equal(output, `read_events: stand-up (work), lunch (work)\ndelete_event: ${REFUSED}`)
  })

  test('openai-agents lets the sub-agent read and nothing else', async () => {
    assert.equal(
      await outputOf('openai-agents.ts'),
      'refused: delete_event, action_not_in_scope\n' +
        "I did what I'm allowed to do.\n" +
        'recorded: agent:reader read calendar:work success, caused\n' +
        'recorded: agent:calendar-bot call tool:ask_reader success\n',
    )
  })
})
