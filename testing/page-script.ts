import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const BLOCK = /^```bash\n([\s\S]*?)^```$/gm

/** The bash blocks of a page in order, as one script that a reader could paste into a terminal. */
export function scriptOf(page: string): string {
  return blocksOf(page).join('\n')
}

export function blocksOf(page: string): string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(BLOCK)].map(([, block = '']) => block)
}

/** Runs a script in a shell that stops at the first failure. */
export async function runScript(
  script: string,
  cwd?: string,
): Promise<{ code: number | null; output: string }> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    ...(cwd !== undefined && { cwd }),
    env: { ...readersEnvironment(), PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

/** The environment without the test runner's variables, which readers don't have and the service refuses as unknown. */
function readersEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('DEPUTY_TEST_'))
  return Object.fromEntries(kept)
}
