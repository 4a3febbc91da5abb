import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { installPack } from '../../src/pack/install-pack.ts'
import { RUNTIME } from '../../src/pack/manifest/runtime.ts'
import { type Manifest, packVersion, THIS_PLATFORM } from '../../src/pack/manifest.ts'
import { PackError } from '../../src/pack/pack-error.ts'
import { verifyPack } from '../../src/pack/verify-pack.ts'
import { A_WHEEL, aSmallManifest, smallSource } from './a-small-manifest.ts'

const CHILD = fileURLToPath(new URL('./install-child.ts', import.meta.url))
const folders: string[] = []

function aRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'deputy-pack-'))
  folders.push(root)
  return root
}

after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

function installing(root: string, more: readonly string[] = [], env = process.env): ChildProcess {
  return spawn(process.execPath, [CHILD, root, ...more], { env, stdio: ['ignore', 'pipe', 'inherit'] })
}

async function linesOf(child: ChildProcess): Promise<string[]> {
  const lines: string[] = []
  if (child.stdout !== null) for await (const line of createInterface(child.stdout)) lines.push(line)
  return lines
}

/** Returns an environment in which only the named programs are found. */
function environmentWith(...names: readonly string[]): NodeJS.ProcessEnv {
  const folder = aRoot()
  for (const name of names) symlinkSync(programNamed(name), join(folder, name))
  symlinkSync(process.execPath, join(folder, 'node'))
  return { ...process.env, PATH: folder }
}

/** Runs `work` with changed variables. Threads copy the environment when they start. */
async function withEnvironment(env: Record<string, string>, work: () => Promise<unknown>): Promise<void> {
  const before = { ...process.env }
  Object.assign(process.env, env)
  try {
    await work()
  } finally {
    for (const name of Object.keys(env)) delete process.env[name]
    Object.assign(process.env, before)
  }
}

function programNamed(name: string): string {
  const places = (process.env.PATH ?? '').split(delimiter).map((place) => join(place, name))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error(`${name} is not installed. The tests of the pack need it.`)
  return found
}

describe('installing the pack', () => {
  test('creates a folder named after the manifest, with every file and a notice, and nothing next to it', async () => {
    const root = aRoot()
    const manifest = aSmallManifest()
    const { folder, missing } = await installPack({ root, manifest })
    assert.equal(folder, join(root, packVersion(manifest)))
    assert.deepEqual(missing, [])
    assert.equal(verifyPack(folder, manifest, THIS_PLATFORM).size, smallSource().files.length)
    assert.match(readFileSync(join(folder, 'NOTICE.md'), 'utf8'), /onnxruntime-common 1\.30\.0 \| MIT/)
    assert.deepEqual(readdirSync(root), [packVersion(manifest)])
  })

  test('refuses an archive with another hash before it is opened, and leaves nothing', async () => {
    const root = aRoot()
    const source = { ...smallSource(), integrity: `sha512-${Buffer.alloc(64).toString('base64')}` }
    await assert.rejects(installPack({ root, manifest: { required: [source], optional: [] } }), PackError)
    assert.deepEqual(readdirSync(root), [])
  })

  test('refuses a member with a different hash, and leaves nothing behind', async () => {
    const root = aRoot()
    const [file] = smallSource().files
    if (file === undefined) throw new Error('the package has no files')
    const [member] = file.from
    if (member === undefined) throw new Error('the file has no member')
    const changed = { ...file, from: [{ ...member, sha256: '0'.repeat(64) }] }
    const manifest = { required: [{ ...smallSource(), files: [changed] }], optional: [] }
    await assert.rejects(installPack({ root, manifest }), /isn't the file that was tested/)
    assert.deepEqual(readdirSync(root), [])
  })

  test('names the package and says what to do if the registry does not have it', async () => {
    const source = { ...smallSource(), version: '1.30.0-never.published' }
    await assert.rejects(
      installPack({ root: aRoot(), manifest: { required: [source], optional: [] } }),
      /npm could not download onnxruntime-common 1\.30\.0-never\.published\..*registry does not have it.*DEPUTY_ENGINE_DIR/,
    )
  })

  test('refuses a platform without a native library, and names those that have one', async () => {
    const manifest: Manifest = { required: RUNTIME, optional: [] }
    await assert.rejects(
      installPack({ root: aRoot(), manifest, platform: 'sunos-sparc' }),
      /no native library for sunos-sparc.*linux-arm64, linux-x64/,
    )
  })

  test('repairs a pack with a changed byte', async () => {
    const root = aRoot()
    const manifest = aSmallManifest()
    const { folder } = await installPack({ root, manifest })
    const path = join(folder, smallSource().files[0]?.path ?? '')
    writeFileSync(path, 'changed')
    await installPack({ root, manifest })
    verifyPack(folder, manifest, THIS_PLATFORM)
  })

  test('downloads only what changed for a new version, then removes the old version', async () => {
    const root = aRoot()
    await installPack({ root, manifest: aSmallManifest() })
    const newer = { required: [{ ...smallSource(), origin: 'elsewhere' }], optional: [] }
    // Without npm, the files can only come from the old version.
    await withEnvironment({ PATH: '' }, () => installPack({ root, manifest: newer }))
    assert.deepEqual(readdirSync(root), [packVersion(newer)])
  })

  test('is done by one of two processes while the other waits', async () => {
    const root = aRoot()
    const both = await Promise.all([linesOf(installing(root)), linesOf(installing(root))])
    const ends = both.map((lines) => JSON.parse(lines.at(-1) ?? '{}').folder)
    assert.deepEqual(ends, [ends[0], ends[0]])
    const unpacked = both.filter((lines) => lines.includes('Unpacked onnxruntime-common'))
    assert.equal(unpacked.length, 1)
    assert.equal(readdirSync(root).length, 1)
  })

  test('that was killed leaves no pack; the next one completes', async () => {
    const root = aRoot()
    const child = installing(root)
    if (child.stdout === null) throw new Error('the child has no output')
    for await (const line of createInterface(child.stdout)) if (line.startsWith('Downloading')) break
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.ok(!existsSync(join(root, packVersion(aSmallManifest()))))
    assert.ok(existsSync(join(root, 'install.lock')))
    await installPack({ root, manifest: aSmallManifest() })
    assert.deepEqual(readdirSync(root), [packVersion(aSmallManifest())])
  })

  test('works without Python, says what is missing, and is completed once Python is installed', async () => {
    const root = aRoot()
    const [without, rest] = [
      JSON.parse((await linesOf(installing(root, ['wheel'], environmentWith('npm')))).at(-1) ?? '{}'),
      JSON.parse((await linesOf(installing(root, ['wheel']))).at(-1) ?? '{}'),
    ]
    assert.match(without.missing[0], /Python is not installed, and six 1\.16\.0 comes from PyPI/)
    assert.deepEqual(rest.missing, [])
    assert.equal(rest.folder, without.folder)
    const files = verifyPack(rest.folder, aSmallManifest({ optional: [A_WHEEL] }), THIS_PLATFORM)
    assert.ok(files.has('nets/six.py'))
  })

  test('says what to do if npm is not installed', () =>
    withEnvironment({ PATH: aRoot() }, () =>
      assert.rejects(
        installPack({ root: aRoot(), manifest: aSmallManifest() }),
        /npm is not installed.*DEPUTY_ENGINE_DIR/,
      ),
    ))

  test('says what to do if the registry cannot be reached', () =>
    withEnvironment(
      {
        npm_config_registry: 'http://127.0.0.1:9/',
        npm_config_cache: aRoot(),
        npm_config_fetch_retries: '0',
      },
      () =>
        assert.rejects(
          installPack({ root: aRoot(), manifest: aSmallManifest() }),
          /registry could not be reached.*DEPUTY_ENGINE_DIR/,
        ),
    ))
})
