import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { MANIFEST } from '../../biometrics/src/pack/manifest.ts'

const page = readFileSync(new URL('../reference/engine-pack.md', import.meta.url), 'utf8')
const sources = [...MANIFEST.required, ...MANIFEST.optional]

function rowsOf(pattern: RegExp): string[] {
  return page.split('\n').filter((line) => pattern.test(line))
}

describe('the reference of the engine pack', () => {
  test('lists every package with its version, size, licence and origin, and no other', () => {
    const rows = sources.map(
      ({ registry, name, version, bytes, licence, origin }) =>
        `| ${registry === 'npm' ? 'npm' : 'PyPI'} | ${name} | ${version} | ${(bytes / 1e6).toFixed(1)} MB | ${licence} | ${origin} |`,
    )
    assert.deepEqual(rowsOf(/^\| (npm|PyPI) \|/), rows)
  })

  test('lists every net, library and decoder with its hash, and no other', () => {
    const rows = sources.flatMap(({ name, files }) =>
      files
        .filter(({ path }) => !/\.(js|json)$/.test(path))
        .map(({ path, bytes, sha256 }) => `| \`${shortPath(path)}\` | ${name} | ${bytes} | \`${sha256}\` |`),
    )
    assert.deepEqual(rowsOf(/^\| `.+\| `[0-9a-f]{64}` \|$/), rows)
  })
})

function shortPath(path: string): string {
  return path.replace('runtime/node_modules/onnxruntime-node/', 'runtime/…/')
}
