/** Installs a small pack into the folder in its first argument, and prints its progress, one line for each change. */
import { installPack } from '../../src/pack/install-pack.ts'
import { A_WHEEL, aSmallManifest } from './a-small-manifest.ts'

const [, , root = '', withWheel] = process.argv
const { folder, missing } = await installPack({
  root,
  manifest: aSmallManifest(withWheel === undefined ? {} : { optional: [A_WHEEL] }),
  onProgress: ({ doing }) => console.log(doing),
})
console.log(JSON.stringify({ folder, missing }))
