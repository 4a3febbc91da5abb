import { join } from 'node:path'
import { installPack, packSource } from '@deputize/biometrics'
import { REPOSITORY } from './source-imports.ts'

const ROOT = join(REPOSITORY, 'node_modules/.cache/deputy/engine')

/** The engine pack that all tests share, installed once. Parallel test processes wait for each other. */
export async function anEngine(): Promise<string> {
  const installed = packSource({ mode: 'auto', root: ROOT }).directory()
  return installed ?? (await installPack({ root: ROOT })).folder
}
