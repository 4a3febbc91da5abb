import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { runDeputy } from './run-deputy.ts'

describe('deputy completion', () => {
  test('completes commands, options, choices and files in bash', async () => {
    const { status, stdout } = await runDeputy(['completion', 'bash'])
    assert.equal(status, 0)
    const completed = (...line: string[]) => {
      const words = line.map((word) => `'${word}'`).join(' ')
      const script = `${stdout}\nCOMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _deputy; echo "\${COMPREPLY[*]}"`
      const { stdout: found, stderr } = spawnSync('bash', ['-euc', script], { encoding: 'utf8', cwd: '/' })
      assert.equal(stderr, '')
      return found.trim()
    }
    assert.equal(completed('deputy', 'del'), 'delegate')
    assert.equal(completed('deputy', 'keys', 'ro'), 'rotate')
    assert.equal(completed('deputy', 'keys', 'create', '--role', 'a'), 'auditor')
    assert.equal(completed('deputy', 'rate', 'aar_x', 'fl'), 'flagged')
    assert.equal(completed('deputy', 'approvals', '--sta'), '--state')
    assert.equal(completed('deputy', 'agents', '--api-key-file', 'et'), 'etc')
  })

  test('knows the same commands in every shell', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { stdout } = await runDeputy(['completion', shell])
      for (const word of ['issue', 'authorize', 'rotate', 'max-spend-usd', 'resource_server'])
        assert.ok(stdout.includes(word), `${shell}: ${word}`)
    }
  })
})
