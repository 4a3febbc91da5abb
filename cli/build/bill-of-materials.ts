/**
 * The software bill of materials of the package `deputize`, in CycloneDX: every package that npm installs with it, and the
 * third-party code in its web pages. It depends only on the lock file, so the same commit gives the same bytes.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packedManifest } from './manifest.ts'
import { ROOT, sourcesOfDeputy } from './sources.ts'
import { packagesInPages } from './third-party.ts'

interface LockedPackage {
  readonly version: string
  readonly integrity?: string
  readonly license?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

type Lock = Readonly<Record<string, LockedPackage>>

interface Component {
  readonly type: 'library'
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly scope: 'required' | 'optional'
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
  readonly licenses?: readonly { readonly expression: string }[]
}

export interface BillOfMaterials {
  readonly bomFormat: 'CycloneDX'
  readonly specVersion: '1.6'
  readonly version: 1
  readonly metadata: { readonly component: Readonly<Record<string, string>> }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[]
}

export async function billOfMaterials(): Promise<BillOfMaterials> {
  const { packages } = await sourcesOfDeputy()
  const { name, version, dependencies, optionalDependencies } = packedManifest(packages)
  const lock: Lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages
  const root = `pkg:npm/${name}@${version}`
  // In the packed manifest, both members map names to plain versions.
  const required = [...Object.keys(dependencies as object), ...(await packagesInPages())]
  const found = closureOf(lock, required, Object.keys(optionalDependencies as object))
  const refs = [...new Set(required)].map((one) => refOf(lock, placeOf(lock, '', one)))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name: String(name),
        version: String(version),
        purl: root,
      },
    },
    components: componentsOf(lock, found),
    dependencies: [
      { ref: root, dependsOn: refs.sort() },
      ...uniqueBy(
        ({ ref }) => ref,
        [...found.keys()].sort().map((place) => ({
          ref: refOf(lock, place),
          dependsOn: [...new Set(neededBy(lock, place).map((needed) => refOf(lock, needed)))].sort(),
        })),
      ),
    ],
  }
}

type Scopes = Map<string, Component['scope']>

/** npm may install one version at several places. */
function componentsOf(lock: Lock, found: Scopes): Component[] {
  const all = [...found].sort(byPlace).map(([place, scope]) => componentOf(lock, place, scope))
  return uniqueBy((component) => component['bom-ref'], all)
}

function uniqueBy<T>(key: (value: T) => string, values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()]
}

function byPlace([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

/** Returns the places in the lock file of these packages and of everything that they depend on. */
function closureOf(lock: Lock, required: readonly string[], optional: readonly string[]): Scopes {
  const found: Scopes = new Map()
  const visit = (place: string, scope: Component['scope']): void => {
    const known = found.get(place)
    if (known === 'required' || known === scope) return
    found.set(place, scope)
    for (const needed of neededBy(lock, place)) visit(needed, scope)
  }
  for (const name of optional) visit(placeOf(lock, '', name), 'optional')
  for (const name of required) visit(placeOf(lock, '', name), 'required')
  return found
}

function neededBy(lock: Lock, place: string): string[] {
  const { dependencies = {}, optionalDependencies = {} } = lockedAt(lock, place)
  const needed = Object.keys(dependencies).filter((name) => !(name in optionalDependencies))
  const possible = Object.keys(optionalDependencies).filter(
    (name) => findPlace(lock, place, name) !== undefined,
  )
  return [
    ...needed.map((name) => placeOf(lock, place, name)),
    ...possible.map((name) => placeOf(lock, place, name)),
  ]
}

/** Returns where Node finds the package `name` when the package at `from` imports it. */
function placeOf(lock: Lock, from: string, name: string): string {
  const place = findPlace(lock, from, name)
  if (place === undefined)
    throw new Error(`package-lock.json has no entry for ${name}, which ${from || 'the package'} needs`)
  return place
}

function findPlace(lock: Lock, from: string, name: string): string | undefined {
  const place = `${from === '' ? '' : `${from}/`}node_modules/${name}`
  if (lock[place] !== undefined) return place
  if (from === '') return undefined
  const above = from.lastIndexOf('/node_modules/')
  return findPlace(lock, above < 0 ? '' : from.slice(0, above), name)
}

function lockedAt(lock: Lock, place: string): LockedPackage {
  const locked = lock[place]
  if (locked === undefined) throw new Error(`package-lock.json has no entry for ${place}`)
  return locked
}

function refOf(lock: Lock, place: string): string {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return `pkg:npm/${name.replace('@', '%40')}@${lockedAt(lock, place).version}`
}

function componentOf(lock: Lock, place: string, scope: Component['scope']): Component {
  const { version, integrity, license } = lockedAt(lock, place)
  const purl = refOf(lock, place)
  return {
    type: 'library',
    'bom-ref': purl,
    name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    purl,
    scope,
    ...(integrity?.startsWith('sha512-') && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }],
    }),
    ...(license !== undefined && { licenses: [{ expression: license }] }),
  }
}
