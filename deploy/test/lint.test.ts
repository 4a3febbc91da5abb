import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { billOfMaterials } from '../../cli/build/bill-of-materials.ts'
import { renderTemplate } from './render-template.ts'
import { absent, runTool, type Tool } from './tools.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DEPLOY = join(ROOT, 'deploy')
/** The oldest version of Kubernetes that its makers support, and the newest that the schemas know. */
const KUBERNETES = ['1.34', '1.37']

const read = (path: string) => readFileSync(join(DEPLOY, path), 'utf8')

/** Throws with all that the tool printed, unless it is content. */
function assertClean(tool: Tool, args: readonly string[]): string {
  const { status, output } = runTool(tool, args, DEPLOY)
  assert.equal(status, 0, `${tool} ${args.join(' ')}\n${output}`)
  return output
}

function aFile(t: TestContext, name: string, content: string): string {
  const file = join(temporaryDirectory(t), name)
  writeFileSync(file, content)
  return file
}

test('hadolint finds nothing in the container file', { skip: absent('hadolint') }, () => {
  assertClean('hadolint', ['--failure-threshold', 'style', 'container/Containerfile'])
})

test('the compose file follows the schema of Compose', { skip: absent('check-jsonschema') }, () => {
  assertClean('check-jsonschema', ['--builtin-schema', 'vendor.compose-spec', 'container/compose.yaml'])
})

describe('the chart', { skip: absent('helm') }, () => {
  const everything = {
    backup: { enabled: true },
    networkPolicy: { enabled: true },
    witnesses: 'w+1+x',
    env: [{ name: 'DEPUTY_LOG_ORIGIN', value: 'log.example.com/deputy' }],
    existingFiles: 'deputy-files',
  }
  const options = (t: TestContext, changes: object) => [
    '--values',
    aFile(t, 'values.yaml', stringify(changes)),
  ]

  test('is accepted by helm lint, as it is and with everything switched on', (t) => {
    assertClean('helm', ['lint', '--strict', 'helm/deputy'])
    assertClean('helm', ['lint', '--strict', 'helm/deputy', ...options(t, everything)])
  })

  test('renders as objects that follow the schemas of Kubernetes', (t) => {
    const rendered = aFile(
      t,
      'all.yaml',
      assertClean('helm', ['template', 'x', 'helm/deputy', ...options(t, everything)]),
    )
    for (const version of KUBERNETES)
      assertClean('kubernetes-validate', ['--strict', '--quiet', '--kubernetes-version', version, rendered])
  })

  test('renders by helm as by the small renderer, which needs no tool', (t) => {
    const objects = (text: string) =>
      parseAllDocuments(text)
        .map((document) => document.toJS())
        .filter((value) => value !== null)
        .sort((a, b) => a.kind.localeCompare(b.kind))
    const values = parse(read('helm/deputy/values.yaml'))
    for (const changes of [{}, everything]) {
      const merged = Object.fromEntries(
        Object.entries({ ...values, ...changes }).map(([name, value]) => [
          name,
          typeof value === 'object' && !Array.isArray(value) ? { ...values[name], ...value } : value,
        ]),
      )
      const own = globSync('helm/deputy/templates/*.yaml', { cwd: DEPLOY }).flatMap((path) =>
        objects(renderTemplate(read(path), { Release: { Name: 'x' }, Values: merged })),
      )
      const theirs = assertClean('helm', ['template', 'x', 'helm/deputy', ...options(t, changes)])
      assert.deepEqual(objects(own.map((object) => stringify(object)).join('---\n')), objects(theirs))
    }
  })
})

describe('the units of systemd', { skip: absent('systemd-analyze') }, () => {
  test('are understood, and need nothing but the program', () => {
    const { output } = runTool(
      'systemd-analyze',
      ['verify', '--man=no', ...globSync('systemd/*', { cwd: DEPLOY })],
      DEPLOY,
    )
    const lines = output.split('\n').filter((line) => line !== '' && !line.includes('/opt/deputy/bin/deputy'))
    assert.deepEqual(lines, [])
  })

  test('expose little: systemd rates them below 2 of 10', () => {
    for (const path of globSync('systemd/*.service', { cwd: DEPLOY })) {
      const output = assertClean('systemd-analyze', ['security', '--offline=true', '--threshold=19', path])
      assert.match(output, /Overall exposure level/)
    }
  })
})

describe('the rules of Prometheus', { skip: absent('promtool') }, () => {
  test('are accepted by promtool, and so is every expression of the dashboard', (t) => {
    assertClean('promtool', ['check', 'rules', 'monitoring/alerts.yaml'])
    const panels: { id: number; targets: { refId: string; expr: string }[] }[] = JSON.parse(
      read('monitoring/dashboard.json'),
    ).panels
    const rules = panels.flatMap(({ id, targets }) =>
      targets.map(({ refId, expr }) => ({
        record: `panel:${id}:${refId}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'deputy'),
      })),
    )
    assert.ok(rules.length > 10)
    const file = aFile(t, 'dashboard.yaml', stringify({ groups: [{ name: 'dashboard', rules }] }))
    assertClean('promtool', ['check', 'rules', file])
  })

  test('fire when they must, and are silent otherwise', () => {
    const files = ['test/alerts.yaml', 'test/alerts-of-days.yaml']
    const tried: { alertname: string; exp_alerts: unknown[] }[] = files
      .flatMap((file) => parse(read(file)).tests)
      .flatMap(({ alert_rule_test }) => alert_rule_test)
    for (const { alert } of parse(read('monitoring/alerts.yaml')).groups[0].rules)
      for (const fires of [true, false])
        assert.ok(
          tried.some(({ alertname, exp_alerts }) => alertname === alert && exp_alerts.length > 0 === fires),
          `no test shows when ${alert} ${fires ? 'fires' : 'is silent'}`,
        )
    assertClean('promtool', ['test', 'rules', ...files])
  })
})

test('the dashboard has the types that Grafana publishes', (t) => {
  const file = aFile(
    t,
    'dashboard.mts',
    `import type { Dashboard } from '${join(ROOT, 'node_modules/@grafana/schema/dist/types/index.d.ts')}'
export const dashboard: Dashboard = ${read('monitoring/dashboard.json')}`,
  )
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--allowImportingTsExtensions',
  ]
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, file],
    {
      cwd: tmpdir(),
      encoding: 'utf8',
    },
  )
  assert.equal(status, 0, stdout)
})

test('the bill of materials follows the schema of CycloneDX', { skip: absent('python3') }, async (t) => {
  const bill = aFile(t, 'bill.cdx.json', JSON.stringify(await billOfMaterials()))
  const script = `
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(str(problem) if problem else 0)`
  assertClean('python3', ['-c', script, bill])
})
