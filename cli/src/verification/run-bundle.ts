import { resolve } from 'node:path'
import type { ExitCode } from '../exit-codes.ts'
import { fetchPack } from './fetch-pack.ts'

export interface BundleOptions {
  platform?: string
  json?: boolean
}

/** Fetches a pack into a separate folder, for another machine. */
export function runBundle(folder: string, { platform, json = false }: BundleOptions): Promise<ExitCode> {
  const root = resolve(folder)
  return fetchPack({
    root,
    platform,
    json,
    say: () => `Wrote the engine pack to ${root}\nCopy this folder, and set DEPUTY_ENGINE_DIR to it.\n`,
  })
}
