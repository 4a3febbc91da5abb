import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The progress of an installation. */
export interface InstallProgress {
  readonly done_bytes: number
  readonly total_bytes: number
  readonly doing: string
}

const BEAT_MS = 1_000
const STALE_MS = 30_000
const NAME = 'install.lock'

interface Holder {
  readonly pid: number
  readonly host: string
  readonly progress: InstallProgress
}

export interface InstallLock {
  report(progress: InstallProgress): void
  release(): Promise<void>
}

/**
 * Waits until no other process installs into `root`. The lock only saves a second download: every installation works in
 * its own folder and ends with one rename, so two that overlap by mistake produce the same pack.
 */
export async function lockInstall(
  root: string,
  onWait: (progress: InstallProgress) => void,
): Promise<InstallLock> {
  const path = join(root, NAME)
  while (!(await tryLock(path))) {
    const progress = installProgress(root)
    if (progress === undefined) await removeStale(path)
    else onWait(progress)
    await pause(progress === undefined ? 10 : BEAT_MS / 4)
  }
  return heldLock(path)
}

/**
 * Returns the progress of the process that installs into `root` now, which may be this one. Undefined if none is alive.
 */
export function installProgress(root: string): InstallProgress | undefined {
  const path = join(root, NAME)
  try {
    const age = Date.now() - statSync(path).mtimeMs
    const holder: Holder = JSON.parse(readFileSync(path, 'utf8'))
    return age > STALE_MS || isDead(holder) ? undefined : holder.progress
  } catch (error) {
    // Absent, or being written, as the next call will show. Only its age can show that a torn lock was left behind.
    return error instanceof SyntaxError && !isOld(path) ? STARTING : undefined
  }
}

export const STARTING: InstallProgress = { done_bytes: 0, total_bytes: 0, doing: 'Starting' }

async function tryLock(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx')
    // A crash here leaves an empty lock, which counts as held until it is old.
    await file.writeFile(holderText(STARTING))
    await file.close()
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

/** Moves the lock away before removing it, so that only one of several processes that find it stale succeeds. */
async function removeStale(path: string): Promise<void> {
  const aside = `${path}.${randomUUID()}`
  try {
    await rename(path, aside)
  } catch {
    return
  }
  await rm(aside, { force: true })
}

function heldLock(path: string): InstallLock {
  let progress = STARTING
  // Rewritten in place, so that its age proves that the holder is alive.
  const beat = setInterval(() => writeFile(path, holderText(progress)).catch(() => undefined), BEAT_MS)
  beat.unref()
  return {
    report: (next) => {
      progress = next
    },
    release: async () => {
      clearInterval(beat)
      await rm(path, { force: true })
    },
  }
}

function holderText(progress: InstallProgress): string {
  return JSON.stringify({ pid: process.pid, host: hostname(), progress } satisfies Holder)
}

/** Whether the holder is dead, which can be checked only on this machine. */
function isDead({ pid, host }: Holder): boolean {
  if (host !== hostname()) return false
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return errorCode(error) === 'ESRCH'
  }
}

function isOld(path: string): boolean {
  try {
    return Date.now() - statSync(path).mtimeMs > STALE_MS
  } catch {
    return true
  }
}

function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
