import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../sdk/node/build/bundle.ts'

/**
 * Builds the SDK in its published form. In this repository its sources use node:crypto, but the published package,
 * which users run, uses Web Crypto.
 */
export async function builtSdk(directory: string): Promise<string> {
  const folder = join(directory, 'sdk')
  await bundle(folder)
  return folder
}

/** Imports one entry point of the built package. */
export async function sdkEntry<Module>(folder: string, name: string): Promise<Module> {
  return import(pathToFileURL(join(folder, `${name}.js`)).href) // the caller names the module of that entry
}
