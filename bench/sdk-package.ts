import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundle } from '../sdk/node/build/bundle.ts'

/**
 * The SDK as it is published. In this repository its sources run on node:crypto in part; users have Web Crypto in its
 * place, and that is what is measured.
 */
export async function builtSdk(directory: string): Promise<string> {
  const folder = join(directory, 'sdk')
  await bundle(folder)
  return folder
}

/** One of its entries. */
export async function sdkEntry<Module>(folder: string, name: string): Promise<Module> {
  return import(pathToFileURL(join(folder, `${name}.js`)).href) // the caller names the module of that entry
}
