import { join } from 'node:path'
import { installPack, openPack, type Pack, packSource } from '@deputize/biometrics'
import { REPOSITORY } from './source-imports.ts'

const ROOT = join(REPOSITORY, 'node_modules/.cache/deputy/engine')

/** The engine pack that all tests share, installed once. Parallel test processes wait for each other. */
export async function anEngine(): Promise<string> {
  const installed = packSource({ mode: 'auto', root: ROOT }).directory()
  return installed ?? (await installPack({ root: ROOT })).folder
}

let opened: Promise<Pack> | undefined

/** The same pack, opened once in this process: opening it reads and hashes 220 MB. */
export function theOpenPack(): Promise<Pack> {
  opened ??= anEngine().then((folder) => openPack(folder))
  return opened
}
