import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const bundles = process.env.DEPUTY_TEST_PROGRAMS

/** The service, from a bundle if the runner has made one. */
export const SERVICE: string = programOf('service', '../server/src/main.ts')
/** The command `deputy`, from a bundle if the runner has made one. */
export const CLI: string = programOf('command', '../cli/bin/deputy.js')

function programOf(name: string, source: string): string {
  return bundles === undefined
    ? fileURLToPath(new URL(source, import.meta.url))
    : join(bundles, name, 'main.mjs')
}

/** Lets programs that tests start share the compile cache, whatever else of the environment they get. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
