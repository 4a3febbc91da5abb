import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Command } from 'commander'
import { EXAMPLES } from '../../src/commands/examples.ts'
import { HELP_WIDTH } from '../../src/help-layout.ts'
import { deputyProgram } from '../../src/program.ts'
import { runCommand, runDeputy } from './run-deputy.ts'

interface HelpPage {
  readonly command: string
  readonly text: string
}

/** Commands that list or suggest the others. */
const ABOUT_ALL = ['completion', 'help']

/** The help of a command and of all commands below it, as `--help` prints it. */
function helpPages(command: Command, path = command.name()): HelpPage[] {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  return [
    { command: path, text },
    ...command.commands.flatMap((one) => helpPages(one, `${path} ${one.name()}`)),
  ]
}

const program = await deputyProgram()
const pages = helpPages(program)

describe('the help of every command', () => {
  test(`fits in ${HELP_WIDTH} columns`, () => {
    const long = pages.flatMap(({ command, text }) =>
      text
        .split('\n')
        .filter((line) => [...line].length > HELP_WIDTH)
        .map((line) => `${command}: ${line}`),
    )
    assert.deepEqual(long, [])
    assert.ok(pages.length > 40, String(pages.length))
  })

  test('groups the commands of deputy, one line each', () => {
    const [{ text } = { text: '' }] = pages
    const [, ...groups] = text.split(/\n(?=[A-Z][a-z]+:\n)/)
    const listed = groups.map((group) => group.trimEnd().split('\n\n')[0]?.split('\n') ?? [])
    assert.deepEqual(
      listed.map(([heading]) => heading),
      ['Options:', 'Run:', 'Act:', 'Watch:', 'Prove:', 'Administer:', 'Help:'],
    )
    for (const line of listed.slice(1).flatMap(([, ...lines]) => lines))
      assert.match(line, /^ {2}[a-z]\S* {2,}\S/)
  })

  test('ends with an example', () => {
    for (const { command, text } of pages.slice(1))
      assert.match(text, new RegExp(`\\nExample:\\n  ${command}( [^]+)?\\n$`), command)
  })

  test('lists the exit codes of the commands that the guide names', () => {
    const guide = readFileSync(new URL('../../../docs/guides/cli.md', import.meta.url), 'utf8')
    const [, names = ''] = /^(.+) have their own exit codes/m.exec(guide) ?? []
    const named = [...names.matchAll(/`([\w -]+)`/g)].map(([, name = '']) => name)
    assert.ok(named.length > 10, String(named.length))
    for (const name of named) {
      const text = pages.find(({ command }) => command === `deputy ${name}`)?.text ?? ''
      assert.match(text, /exit codes?/i, name)
    }
  })

  test('is the same when only the called command is loaded', async () => {
    const names = program.commands
      .map((command) => command.name())
      .filter((name) => !ABOUT_ALL.includes(name))
    for (const name of names) {
      const alone = await deputyProgram(name)
      assert.deepEqual(
        alone.commands.map((command) => command.name()),
        [name, 'help'],
      )
      const own = alone.commands.flatMap((command) => helpPages(command, `deputy ${command.name()}`))
      assert.deepEqual(
        own.filter(({ command }) => command !== 'deputy help'),
        pages.filter(({ command }) => `${command} `.startsWith(`deputy ${name} `)),
      )
    }
  })

  test('is printed by the command itself', async () => {
    const { status, stdout } = await runCommand(['keys', 'create', '--help'])
    assert.equal(status, 0)
    assert.equal(stdout, pages.find(({ command }) => command === 'deputy keys create')?.text)
  })

  test('has examples with existing options only', async () => {
    const { stdout } = await runCommand(['completion', 'fish']) // names every option of every command
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

  test('is named when an option of the command is mistyped', async () => {
    for (const path of [['check'], ['keys', 'create'], ['verification', 'install']]) {
      const { status, stderr } = await runCommand([...path, '--bogus'])
      assert.equal(status, 2)
      assert.match(stderr, new RegExp(`Run deputy ${path.join(' ')} --help for usage`))
    }
    assert.match((await runCommand(['nonsense'])).stderr, /Run deputy --help for usage/)
  })

  test('is printed by deputy help, which names an unknown command', async () => {
    assert.equal((await runCommand(['help'])).stdout, pages[0]?.text)
    const keys = await runCommand(['help', 'keys', 'create'])
    assert.equal(keys.stdout, pages.find(({ command }) => command === 'deputy keys create')?.text)
    for (const args of [['nope'], ['keys', 'nope']]) {
      const { status, stdout, stderr } = await runCommand(['help', ...args])
      assert.deepEqual([status, stdout], [2, ''])
      assert.match(stderr, /^error: unknown command 'nope'/)
    }
  })

  test('marks required options, and all missing ones are named at once', async () => {
    const { status, stderr } = await runCommand(['issue', '--agent-id=bot'])
    assert.equal(status, 2)
    assert.match(
      stderr,
      /^error: missing required options: --developer-email <text>, --resources <list>, --actions <list>\nRun deputy issue --help/,
    )
    const issue = pages.find(({ command }) => command === 'deputy issue')?.text ?? ''
    assert.equal(issue.match(/\(required\)/g)?.length, 4)
  })

  test('is not needed for a typo, which gets a suggestion and exits with 2', async () => {
    const mistyped: readonly (readonly [readonly string[], RegExp])[] = [
      [['agents', '--lmit', '3'], /Did you mean '--limit'\?/],
      [['agnts'], /Did you mean 'agents'\?/],
      [['token'], /^error: unknown command 'token'\. Did you mean 'tokens'\?\nRun/],
      [['suspend', 'x'], /Did you mean 'agents suspend'\?/],
      [['keys', 'lst'], /unknown command 'lst'\. Commands of keys: list, create, rotate, delete\./],
      [['mcp-guard', '--lsten', 'x'], /Did you mean '--listen'\?/],
      // The unknown option is named, not the missing ones, and never its value.
      [['issue', '--email=x'], /^error: unknown option '--email'\. Did you mean '--developer-email'\?\nRun/],
      [['start', '--prt', '1'], /Did you mean '--port'\?/],
      [['check', '--dta', 'x'], /Did you mean '--data'\?/],
      [['verify', 'x', '--ky', 'y'], /Did you mean '--key'\?/],
    ]
    for (const [args, words] of mistyped) {
      const { status, stdout, stderr } = await runCommand(args)
      assert.deepEqual([status, stdout], [2, ''], args.join(' '))
      assert.match(stderr, words)
    }
  })

  test('is not printed for an unreachable service, which is named by its URL', async () => {
    const { status, stderr } = await runDeputy(['agents', '--url', 'http://127.0.0.1:1'])
    assert.equal(status, 3)
    assert.match(stderr, /Is it running at http:\/\/127\.0\.0\.1:1\?/)
  })
})
