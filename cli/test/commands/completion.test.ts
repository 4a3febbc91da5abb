import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { runDeputy } from './run-deputy.ts'

/** Completions in every shell: the words up to the cursor, and one that must be offered. */
const LINES: readonly (readonly [line: readonly string[], offered: string])[] = [
  [['del'], 'delegate'],
  [['be'], 'bench'],
  [['keys', 'ro'], 'rotate'],
  [['keys', 'create', '--role', 'a'], 'auditor'],
  [['rate', 'aar_x', 'fl'], 'flagged'],
  [['approvals', '--sta'], '--state'],
  [['issue', '--max-spend-usd-'], '--max-spend-usd-per'],
  [['agents', '--api-key-file', 'et'], 'etc'],
]

function isThere(shell: string): boolean {
  return spawnSync(shell, ['-c', 'true']).error === undefined
}

/** Skips a test only if its shell isn't installed. */
function only(shell: string): { skip: string } | Record<string, never> {
  return isThere(shell) ? {} : { skip: `${shell} is not installed here` }
}

function said(command: string, args: readonly string[], options: object = {}): string {
  const { stdout, stderr, status } = spawnSync(command, args, { encoding: 'utf8', cwd: '/', ...options })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout.trim()
}

describe('deputy completion', () => {
  const home = mkdtempSync(join(tmpdir(), 'deputy-completion-'))
  after(() => rmSync(home, { recursive: true, force: true }))

  async function scriptFor(shell: string): Promise<string> {
    const { status, stdout } = await runDeputy(['completion', shell])
    assert.equal(status, 0)
    const file = join(home, shell === 'zsh' ? '_deputy' : `deputy.${shell}`)
    writeFileSync(file, stdout)
    return file
  }

  test('completes commands, options, choices and files in bash', only('bash'), async () => {
    const file = await scriptFor('bash')
    for (const [line, offered] of LINES) {
      const words = ['deputy', ...line].map((word) => `'${word}'`).join(' ')
      const script = `. ${file}; COMP_WORDS=(${words}); COMP_CWORD=${line.length}; _deputy; echo "\${COMPREPLY[*]}"`
      // Bash reads its start-up file even for -c if its input is a socket, as under some CI systems.
      assert.equal(said('bash', ['--norc', '-euc', script]), offered, line.join(' '))
    }
  })

  test('completes the same in fish', only('fish'), async () => {
    const file = await scriptFor('fish')
    said('fish', ['--no-execute', file])
    for (const [line, offered] of LINES) {
      const text = `deputy ${line.join(' ')}`
      const found = said('fish', ['--no-config', '-c', `source ${file}; complete -C '${text}'`], {
        env: { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: home },
      })
      const [words] = found.split('\n').map((one) => one.split('\t')[0]?.replace(/\/$/, ''))
      assert.equal(words, offered, text)
    }
  })

  test('completes the same in zsh', only('zsh'), async () => {
    const file = await scriptFor('zsh')
    said('zsh', ['-n', file])
    for (const [line, offered] of LINES) {
      const found = said('zsh', ['-f', '-c', IN_ZSH, 'zsh', home, `deputy ${line.join(' ')}`], {
        env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb' },
      })
      assert.ok(found.includes(`deputy ${[...line.slice(0, -1), offered].join(' ')}`), `${line}: ${found}`)
    }
  })
})

/** Zsh completes only on a terminal, so the shell gets one, and a Tab. */
const IN_ZSH = `
zmodload zsh/zpty
zpty shell 'PS1= zsh -f -i'
zpty -w shell "cd /; unsetopt zle_bracketed_paste; fpath=($1 \\$fpath); autoload -Uz compinit; compinit -u -D; PS1=; LISTMAX=0"
zpty -w shell 'show() { print -r -- "<<\${BUFFER}>>"; BUFFER=; zle accept-line }; zle -N show; bindkey "^X" show; print ready'
zpty -r -m shell buffer '*ready*ready*'
zpty -w -n shell "$2"$'\\t'$'\\x18'
zpty -r -m shell buffer '*<<*>>*'
print -r -- "$buffer"
zpty -d shell
`
