/** Lints the files that differ from the last commit, untracked ones included. */
import { execFileSync, spawnSync } from 'node:child_process'
import { REPOSITORY } from '../source-imports.ts'

const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: REPOSITORY, encoding: 'utf8' }).split('\n').filter(Boolean)

const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', 'HEAD'),
  ...git('ls-files', '--others', '--exclude-standard'),
]
if (changed.length > 0) {
  const options = ['check', '--error-on-warnings', '--no-errors-on-unmatched']
  const { status } = spawnSync('biome', [...options, ...changed], { cwd: REPOSITORY, stdio: 'inherit' })
  process.exitCode = status ?? 1
}
