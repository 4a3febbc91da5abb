/** Writes every generated file; with `--check` writes nothing and fails if one of them is stale. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { operationsSource } from '../../sdk/node/build/operations-source.ts'
import type { Examples } from '../src/api/example.ts'
import { openApiDocument } from '../src/api/openapi.ts'
import { rolesPage } from '../src/api/roles-page.ts'
import { compactJson } from './compact-json.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCUMENT = 'openapi.json'
const EXAMPLES = 'protocol/src/api/generated/examples.ts'
const NODE_CLIENT = 'sdk/node/src/generated/operations.ts'
const PYTHON_GENERATOR = 'sdk/python/generate.py'

/** The text of each generated file, by its path. */
async function generatedFiles(): Promise<Map<string, string>> {
  const examples: Examples = JSON.parse(run(process.execPath, ['protocol/build/record-examples.ts']))
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8'))
  const document = openApiDocument(version, examples)
  return new Map([
    [EXAMPLES, formatted(EXAMPLES, examplesSource(examples))],
    [DOCUMENT, `${compactJson(document)}\n`],
    ['docs/reference/roles.md', rolesPage()],
    [NODE_CLIENT, formatted(NODE_CLIENT, operationsSource())],
    ...pythonClient(document),
  ])
}

function examplesSource(examples: Examples): string {
  return `// Recorded from a run of the service by \`npm run generate\`. Do not edit.
import type { Examples } from '../example.ts'

/** One call of each operation. */
export const EXAMPLES: Examples = ${JSON.stringify(examples)}
`
}

/** The Python generator reads the document from its input and prints the path and the text of the module. */
function pythonClient(document: object): [string, string][] {
  const { path, text } = JSON.parse(run('python3', [PYTHON_GENERATOR, '--print'], JSON.stringify(document)))
  return [[path, text]]
}

/** The text in the linter's format. */
function formatted(path: string, text: string): string {
  const biome = fileURLToPath(new URL('bin/biome', import.meta.resolve('@biomejs/biome/package.json')))
  return run(process.execPath, [biome, 'format', `--stdin-file-path=${path}`], text)
}

function run(command: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (error !== undefined) throw new Error(`${command} could not be started: ${error.message}`)
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}`)
  return stdout
}

function isStale(path: string, text: string): boolean {
  return !existsSync(`${ROOT}${path}`) || readFileSync(`${ROOT}${path}`, 'utf8') !== text
}

const stale = [...(await generatedFiles())].filter(([path, text]) => isStale(path, text))
if (!process.argv.includes('--check')) {
  for (const [path, text] of stale) writeFileSync(`${ROOT}${path}`, text)
  console.log(
    stale.length === 0 ? 'Everything is up to date.' : stale.map(([path]) => `wrote ${path}`).join('\n'),
  )
} else if (stale.length > 0) {
  console.error(`Stale: ${stale.map(([path]) => path).join(', ')}. Run npm run generate.`)
  process.exitCode = 1
}
