import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EXAMPLES } from '../../src/commands/examples.ts'
import { runDeputy } from './run-deputy.ts'

describe('the help of commands', () => {
  test('ends with an example', async () => {
    for (const path of [['issue'], ['keys', 'create'], ['mcp-guard'], ['check']]) {
      const { status, stdout } = await runDeputy([...path, '--help'])
      assert.equal(status, 0)
      assert.match(stdout, new RegExp(`\\nExample: deputy ${path.join(' ')} .+\\n$`))
    }
  })

  test('examples use options that there are', async () => {
    const { stdout } = await runDeputy(['completion', 'fish']) // names every option of every command
    const lines = stdout.split('\n')
    for (const [path, example] of Object.entries(EXAMPLES)) {
      const [own = ''] = example.split(' -- ')
      for (const [, option = ''] of own.matchAll(/--([\w-]+)/g)) {
        const isThere = lines.some(
          (line) => line.includes(`' ${path}\\''`) && line.includes(` -l ${option} `),
        )
        assert.ok(isThere, `deputy ${path} --${option}`)
      }
    }
  })

  test('what is mistyped names the help of the very command', async () => {
    for (const path of [['check'], ['issue'], ['keys', 'create']]) {
      const { stderr } = await runDeputy([...path, '--bogus'])
      assert.match(stderr, new RegExp(`Run deputy ${path.join(' ')} --help to see what there is`))
    }
    assert.match((await runDeputy(['nonsense'])).stderr, /Run deputy --help to see what there is/)
  })

  test('what is mistyped gets a suggestion and ends with 2, in every command', async () => {
    const mistyped: readonly (readonly [readonly string[], RegExp])[] = [
      [['agents', '--lmit', '3'], /Did you mean --limit\?/],
      [['agnts'], /Did you mean agents\?/],
      [['keys', 'lst'], /unknown command 'lst'\. After keys there are list, create, rotate, delete\./],
      [['mcp-guard', '--lsten', 'x'], /Did you mean --listen\?/],
      [['start', '--prt', '1'], /Did you mean --port\?/],
      [['check', '--dta', 'x'], /Did you mean --data\?/],
      [['verify', 'x', '--ky', 'y'], /Did you mean --key\?/],
    ]
    for (const [args, words] of mistyped) {
      const { status, stdout, stderr } = await runDeputy(args)
      assert.deepEqual([status, stdout], [2, ''], args.join(' '))
      assert.match(stderr, words)
    }
  })

  test('a service that is not there is named by its address', async () => {
    const { status, stderr } = await runDeputy(['agents', '--url', 'http://127.0.0.1:1'])
    assert.equal(status, 3)
    assert.match(stderr, /Looked for at http:\/\/127\.0\.0\.1:1 /)
  })
})
