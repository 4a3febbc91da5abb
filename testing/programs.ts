import { fileURLToPath } from 'node:url'

/** The command `deputy`. The runner compiles it; otherwise it runs from its sources if one of them has changed. */
export const CLI: string = fileURLToPath(new URL('../cli/bin/deputy.js', import.meta.url))

/** Lets programs that tests start share the compile cache, even if they get no other variables. */
export const COMPILE_CACHE: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
