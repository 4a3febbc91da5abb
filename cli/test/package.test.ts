import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { aDatabase } from '@deputize/testing/a-database.ts'
import { serverFile } from '@deputize/testing/a-guarded-client.ts'
import { hostNode } from '@deputize/testing/a-package.ts'
import { runScript, scriptOf } from '@deputize/testing/page-script.ts'
import { startProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { packDeputy } from '../build/pack.ts'
import { ROOT } from '../build/sources.ts'
import { HOST_PATH, installGlobally, installIn, manifestIn } from './an-installed-deputy.ts'

const scope = { after }
const tarball = await packDeputy(temporaryDirectory(scope))
const folder = temporaryDirectory(scope)
const { home, command } = installIn(folder, tarball)

const files = filesIn(home)
const scripts = files.filter((path) => path.endsWith('.js') && !path.startsWith('web/'))

function filesIn(place: string): string[] {
  return globSync('**/*', { cwd: place })
    .filter((path) => statSync(join(place, path)).isFile())
    .sort()
}

const isOfGuides = (path: string) => /^docs\/(guides|reference)\/[\w-]+\.(md|png)$/.test(path)
const textOf = (path: string) => readFileSync(join(home, path), 'utf8')

/** The specifiers that a compiled file imports, in any way. */
function importsOf(path: string): string[] {
  const found = textOf(path).matchAll(/(?:\bfrom |\bimport\(|^import )"([^"\n]+)"/gm)
  return [...found].map(([, specifier = '']) => specifier)
}

describe('the package', () => {
  test('is small and contains the compiled program, its data files and licences', () => {
    assert.match(tarball, /deputize-\d+\.\d+\.\d+\.tgz$/)
    // The widget, the hosted page, the identity providers, the trust graph, events and messages are a fifth of it, the
    // dashboard with its pictures a tenth, the guides with theirs a fifth.
    assert.ok(statSync(tarball).size < 1_600_000, String(statSync(tarball).size))
    const others = files.filter(
      (path) =>
        !/^dist\/[\w-]+\.js$/.test(path) &&
        !/^server\/(migrations|policies)\//.test(path) &&
        !path.startsWith('web/dist/app/') &&
        !isOfGuides(path),
    )
    assert.deepEqual(others, [
      'LICENSE',
      'README.md',
      'THIRD-PARTY.md',
      'cli/bin/deputy.js',
      'cli/package.json',
      'package.json',
      'server/package.json',
      'server/src/http/pages/api-reference-init.js',
      'web/dist/icon-192.png',
      'web/dist/icon-512.png',
      'web/dist/people.js',
      'web/dist/push-worker.js',
      'web/dist/setup.js',
      'web/dist/verify-me.js',
      'web/dist/verify.js',
      'web/dist/widget.js',
    ])
  })

  test('contains every migration, policy, guide and file of the dashboard of the repository', () => {
    for (const place of [
      'server/migrations',
      'server/policies',
      'web/dist/app',
      'docs/guides',
      'docs/reference',
    ])
      assert.deepEqual(filesIn(join(home, place)), filesIn(join(ROOT, place)))
  })

  test('contains no paths of the machine that packed it', () => {
    for (const path of files) {
      const text = textOf(path)
      for (const private_path of [ROOT, `${homedir()}/`]) assert.ok(!text.includes(private_path), path)
    }
  })

  test('contains every file that its files refer to', () => {
    for (const path of scripts) {
      const places = [...textOf(path).matchAll(/new URL\("([^"]+)", import\.meta\.url\)/g)]
      const near = [
        ...importsOf(path).filter((one) => one.startsWith('.')),
        ...places.map(([, one = '']) => one),
      ]
      for (const one of near) assert.ok(existsSync(join(home, dirname(path), one)), `${path}: ${one}`)
      assert.ok(!near.some((one) => one.endsWith('.ts')), path)
    }
  })

  test('depends on exactly the packages that it imports, in the tested versions', () => {
    const specifiers = new Set(scripts.flatMap(importsOf).filter((one) => !/^(\.|node:)/.test(one)))
    const names = [...specifiers].map((one) => /^(@[^/]+\/)?[^/]+/.exec(one)?.[0])
    const { dependencies } = manifestIn(home)
    assert.deepEqual([...new Set(names)].sort(), Object.keys(dependencies))
    for (const [name, version] of Object.entries(dependencies))
      assert.equal(manifestIn(join(ROOT, 'node_modules', name)).version, version, name)
    assert.deepEqual(manifestIn(home).optionalDependencies, manifestIn(ROOT).optionalDependencies)
  })

  test('is byte-identical if the same sources are packed again', async (t) => {
    const again = await packDeputy(temporaryDirectory(t))
    assert.ok(readFileSync(again).equals(readFileSync(tarball)))
  })

  test('contains the licences of third-party code in its pages', () => {
    const titles = [...textOf('THIRD-PARTY.md').matchAll(/^## (\S+)$/gm)].map(([, name]) => name)
    assert.deepEqual(titles, [
      '@dagrejs/dagre',
      '@noble/hashes',
      '@preact/signals',
      '@preact/signals-core',
      '@simplewebauthn/browser',
      'canonicalize',
      'd3-dispatch',
      'd3-force',
      'd3-hierarchy',
      'd3-quadtree',
      'd3-timer',
      'preact',
      'uqr',
    ])
  })
})

/** Runs a command as a shell of the machine does, with the Node of the machine. */
function run(executable: string, args: readonly string[], input = '') {
  const env = { PATH: HOST_PATH, HOME: folder }
  return spawnSync(executable, args, { encoding: 'utf8', cwd: folder, input, env })
}

describe(`the command of the package, on a machine with Node ${hostVersion()}`, () => {
  const { version } = manifestIn(ROOT)

  test('runs by its link, by npx, and installed globally', (t) => {
    const machine = installGlobally(temporaryDirectory(t), tarball)
    for (const [executable, ...args] of [
      [command],
      ['npx', '--no', '--', 'deputy'],
      [machine.command],
    ] as const) {
      const { status, stdout, stderr } = run(executable, [...args, '--version'])
      assert.deepEqual([status, stdout], [0, `${version}\n`], stderr)
    }
  })

  test('names the problem if no Node is new enough', (t) => {
    const machine = installGlobally(temporaryDirectory(t), tarball, { with_node: false })
    const { status, stderr, stdout } = run(machine.command, ['--version'])
    if (isOld(hostVersion())) {
      assert.equal(status, 78)
      assert.match(stderr, /^Deputy needs Node 22\.18 or newer\. This is v\d+[^\n]*\n$/)
    } else assert.equal(stdout, `${version}\n`)
  })
})

function hostVersion(): string {
  return execFileSync(hostNode(), ['--version'], { encoding: 'utf8' }).trim()
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number)
  return major < 22 || (major === 22 && minor < 18)
}

describe('the service of the package', async () => {
  const data = temporaryDirectory(scope)
  const program = await startProgram(data, { PATH: HOST_PATH }, [command, 'start'])
  after(() => program.stop()) // the command may run the service in a child process, and passes on only this signal

  /** Runs the blocks of a page with the command of the package. */
  const runPage = async (page: string) => {
    const script = scriptOf(page)
      .replaceAll('http://127.0.0.1:8420', program.url)
      .replaceAll('npx deputy', command)
      .replaceAll('npx -y @modelcontextprotocol/server-filesystem', `node ${serverFile('server-filesystem')}`)
    const { code, output } = await runScript(`export PATH=${HOST_PATH}\n${script}`, temporaryDirectory(scope))
    assert.equal(code, 0, output)
    return output
  }

  /** Runs the command, which must succeed, and returns what it prints. */
  const words = (...args: string[]) => {
    const { status, stdout, stderr } = run(command, args)
    assert.equal(status, 0, `${args.join(' ')}\n${stdout}${stderr}`)
    return stdout
  }

  test('runs the quick start of the README', async () => {
    const output = await runPage('README.md')
    assert.match(output, /"recorded":true/)
    assert.match(output, /"authorized":false/)
    assert.match(output, /"combined_reputation":1/)
    assert.doesNotMatch(output, /"code":/)
  })

  test('serves its pages with their scripts', async () => {
    for (const [path, content] of [
      ['/docs', /<title>Deputy API/],
      ['/docs/reference.js', /scalar/],
      ['/docs/init.js', /openapi\.json/],
      ['/verify', /verify\.js/],
      ['/verify.js', /Deputy, the verifier for browsers/],
      ['/people.js', /Deputy, the pages for people/],
      ['/openapi.json', /"recordAction"/],
    ] as const) {
      const answer = await fetch(program.url + path)
      assert.equal(answer.status, 200, path)
      assert.match(await answer.text(), content, path)
    }
  })

  test('runs the demo and draws its result', () => {
    const { provenance_ref } = JSON.parse(words('demo', '--url', program.url, '--json'))
    assert.match(words('show', provenance_ref, '--url', program.url), /demo-buyer {2}live/)
  })

  test('passes verify and check', () => {
    const state = temporaryDirectory(scope)
    assert.match(words('verify', program.url, '--state', state), /is sound\./)
    assert.match(words('check', '--data', data), /^Checked \d+ leaves of the log[\s\S]*\nSound: /)
  })

  test('guards a published MCP server: one call is allowed, one is denied', async () => {
    const output = await runPage('docs/guides/mcp.md')
    assert.match(output, /"id":2[^\n]*Buy milk|Buy milk[^\n]*"id":2/)
    assert.match(output, /"id":3[^\n]*write_file \(write on mcp:files\) is not allowed/)
    assert.match(output, /"reasons":\["action_not_in_scope"\]/)
  })

  test('stops when the command gets a signal', async () => {
    assert.equal(await program.stop(), 0)
    await assert.rejects(fetch(`${program.url}/readyz`))
  })
})

describe('the other programs of the package', () => {
  test('migrate a PostgreSQL database', async (t) => {
    const { status, stdout, stderr } = run(command, ['migrate', '--database', await aDatabase(t)])
    assert.equal(status, 0, stderr)
    assert.match(stdout + stderr, /is now up to date/)
  })

  test('offer operations as tools over MCP', () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    }
    const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
    const { stdout, stderr } = run(command, ['mcp'], `${hello}\n`)
    assert.match(stdout, new RegExp(`"version":"${manifestIn(ROOT).version}"`), stderr)
  })

  test('witness another log', async (t) => {
    const data = temporaryDirectory(t)
    const log = 'authority.example/log+f1dd923c+AUIERE7OLlxa38TFpfRRiEBjvqUCwYDeunElgbhEsT6f'
    const args = ['witness', '--data', data, '--name', 'witness.example/w1', '--port', '0', '--log', log]
    const witness = await startProgram(data, { PATH: HOST_PATH }, [command, ...args])
    assert.equal(await witness.stop(), 0)
  })
})
