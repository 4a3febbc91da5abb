import { join } from 'node:path'
import { installPack } from '@deputize/biometrics'
import { REPOSITORY } from './source-imports.ts'

/** The engine pack that all tests share, installed once. Parallel test processes wait for each other. */
export async function anEngine(): Promise<string> {
  const { folder } = await installPack({ root: join(REPOSITORY, 'node_modules/.cache/deputy/engine') })
  return folder
}
