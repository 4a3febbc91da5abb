/** Starts a real PostgreSQL, two nodes and a balancer on this machine. Ctrl-C stops all of them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { styleText } from 'node:util'
import { type Postgres, startPostgres } from '@deputize/testing/postgres.ts'
import { type Balancer, startBalancer } from './balancer.ts'

const MAIN = fileURLToPath(new URL('../server/src/main.ts', import.meta.url))
const AGAIN_MS = 5_000
const PORT = Number(process.env.PORT ?? 8420)
const NODES = [PORT + 1, PORT + 2]

interface RunningNode {
  readonly port: number
  child: ChildProcess
}

const root = resolve(process.env.DEPUTY_DATA_DIR ?? './data')
const directory = join(root, 'cluster')
const master_key = join(directory, 'master.key')

let isEnding = false
let postgres: Postgres | undefined
let balancer: Balancer | undefined
const nodes: RunningNode[] = []
/** Every running node, including those that are not ready yet. */
const children = new Set<ChildProcess>()

process.on('SIGINT', () => void end(0))
process.on('SIGTERM', () => void end(0))
const started = start()
started.catch((error) => {
  if (isEnding) return // stopped by the user during the start
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  void end(1)
})

async function start(): Promise<void> {
  makeDirectory(root)
  makeDirectory(directory)
  if (!existsSync(master_key))
    writeFileSync(master_key, randomBytes(32).toString('base64url'), { mode: 0o600 })
  postgres = await startPostgres({ directory: join(directory, 'postgres') })
  for (const port of NODES) nodes.push({ port, child: await startNode(port, postgres.url()) })
  assertGoingOn()
  balancer = await startBalancer(NODES, PORT)
  process.stdout.write(screen(postgres.url()))
}

/** Throws if shutdown has begun, so that nothing new starts. */
function assertGoingOn(): void {
  if (isEnding) throw new Error('shutting down')
}

/** PostgreSQL may run as another user, which must be able to enter. Files inside are readable by their owners only. */
function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o711 })
  if (process.getuid?.() === 0) chmodSync(path, 0o711)
}

/** Resolves when the node accepts requests. A node that exits by itself is restarted. */
async function startNode(port: number, database: string): Promise<ChildProcess> {
  assertGoingOn()
  const child = spawn(process.execPath, [MAIN], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DEPUTY_DATA_DIR: join(directory, `node-${port}`),
      DEPUTY_DATABASE_URL: database,
      DEPUTY_MASTER_KEY_FILE: master_key,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true, // Ctrl-C reaches only this process, which stops the nodes in order
  })
  children.add(child)
  child.once('exit', (code, signal) => {
    children.delete(child)
    void onExit(port, database, code ?? signal)
  })
  let output = ''
  await new Promise<void>((started, failed) => {
    child.stdout?.on('data', (chunk) => {
      output += chunk
      if (output.includes('address')) started()
    })
    child.once('exit', () => failed(new Error(`the node on port ${port} did not start`)))
  })
  return child
}

async function onExit(port: number, database: string, how: unknown): Promise<void> {
  const node = nodes.find((known) => known.port === port)
  if (isEnding || node === undefined) return
  process.stdout.write(
    `  node ${port} exited (${how}). The other node serves requests. Restarting in ${AGAIN_MS / 1000} seconds.\n`,
  )
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
  if (isEnding) return
  try {
    node.child = await startNode(port, database)
    process.stdout.write(`  node ${port} is back (process ${node.child.pid}).\n`)
  } catch (error) {
    if (!isEnding) process.stderr.write(`  ${error instanceof Error ? error.message : error}\n`)
  }
}

/** Stops everything in reverse order. If a start is in progress, waits for it and stops what it started. */
async function end(code: number): Promise<void> {
  if (isEnding) return
  isEnding = true
  await balancer?.close()
  await Promise.all([...children].map(ended))
  await started.catch(() => {})
  await postgres?.stop()
  process.exit(code)
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}

function screen(database: string): string {
  const dim = (text: string) => styleText('dim', text)
  const [one, two] = NODES
  const json = `-H 'Content-Type: application/json'`
  return `
  ${styleText('bold', 'Deputy')}, two nodes on one PostgreSQL

  ${dim('balancer')}  http://127.0.0.1:${PORT}
${nodes.map(({ port, child }) => `  ${dim('node')}      http://127.0.0.1:${port} (process ${child.pid})`).join('\n')}
  ${dim('store')}     ${database}
  ${dim('data')}      ${directory}

  Issue a token on one node:

  JTI=$(curl -s http://127.0.0.1:${one}/v1/vat/issue/l1 ${json} -d '{
    "developer_email": "dev@example.com", "agent_id": "calendar-bot",
    "resources": ["calendar:events"], "actions": ["read", "write"]
  }' | sed 's/.*"jti":"\\([^"]*\\)".*/\\1/')

  Revoke it on the other node. The first one rejects it:

  curl -s http://127.0.0.1:${two}/v1/vat/revoke ${json} -d '{ "vat_jti": "'$JTI'" }'
  curl -s http://127.0.0.1:${one}/v1/vat/record/action ${json} -d '{
    "vat_jti": "'$JTI'", "action": "read", "resource": "calendar:events", "result": "success" }'

  Kill a node and continue through the balancer:

  kill -9 ${nodes[0]?.child.pid}
  curl -s http://127.0.0.1:${PORT}/readyz

  Ctrl-C stops everything. The data stays in ${directory}.

`
}
