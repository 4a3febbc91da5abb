import { RUNTIME } from '../../src/pack/manifest/runtime.ts'
import type { PackageSource } from '../../src/pack/manifest/source.ts'
import { kept } from '../../src/pack/manifest/source.ts'
import type { Manifest } from '../../src/pack/manifest.ts'

const SIX = '4ce39f422ee71467ccac8bed76beb05f8c321c7f0ceda9279ae2dfa3670106b3'

/** A wheel of 11 KB. */
export const A_WHEEL: PackageSource = {
  registry: 'pypi',
  name: 'six',
  version: '1.16.0',
  integrity:
    'sha512-ZWsBDtNtdIbAeJHAJHxyWPrw0aaMX7CjXbnFtnDrcS1eRwsCP/1WjXYX4K53NAggOXAUeQ0U/aTRNZP6K9HHbw==',
  bytes: 11_053,
  licence: 'MIT',
  origin: 'Benjamin Peterson',
  files: [kept('six.py', 'nets/six.py', 34_549, SIX)],
}

/** Returns a pack of one small package, which uses the same registry, clients and code as the real one. */
export function aSmallManifest(over: Partial<Manifest> = {}): Manifest {
  return { required: [smallSource()], optional: [], ...over }
}

export function smallSource(): PackageSource {
  const source = RUNTIME.find(({ name }) => name === 'onnxruntime-common')
  if (source === undefined) throw new Error('the runtime has no such package')
  return source
}
