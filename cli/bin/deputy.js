#!/usr/bin/env node
// Runs on any Node that can parse this file, and hands over to the Node that Deputy is built for.
import { spawn } from 'node:child_process'
import { lstatSync, mkdirSync, statSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// From here on Node runs TypeScript and has SQLite, both without a flag.
const isNewEnough = major > 22 || (major === 22 && minor >= 18)

if (isNewEnough) {
  rememberCompiled()
  await import('../src/main.ts')
} else handOver(pinnedNode())

/** Commands start three times as fast from what was compiled before. */
function rememberCompiled() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  try {
    const { XDG_CACHE_HOME = '' } = process.env
    const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
    if (!isAbsolute(caches)) return
    const folder = join(caches, 'deputy')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (isOursAlone(folder)) module.enableCompileCache(folder)
  } catch {
    // nowhere to remember it: slower, and nothing else
  }
}

/** Whether nobody else can put anything there: what was compiled is run as it lies there. */
function isOursAlone(folder) {
  const user = process.getuid?.()
  if (user === undefined) return true // Windows, where the folders of a user are theirs
  const own = lstatSync(folder)
  const around = statSync(dirname(folder))
  const isShared = (around.mode & 0o002) !== 0 && (around.mode & 0o1000) === 0
  const isSafeAround = (around.uid === user || around.uid === 0) && !isShared
  return own.isDirectory() && own.uid === user && (own.mode & 0o022) === 0 && isSafeAround
}

function pinnedNode() {
  const folder = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return createRequire(import.meta.url)
      .resolve(`${folder}/package.json`)
      .replace(/package\.json$/, file)
  } catch {
    giveUp(
      'npm installed none beside it. It does on Linux and Windows, unless optional packages are left out.',
    )
  }
}

function giveUp(reason) {
  process.stderr.write(`Deputy needs Node 22.18 or newer. This is ${process.version}, and ${reason}\n`)
  process.exit(78)
}

function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => giveUp(`the one beside it does not start: ${message}.`))
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal)
    process.exit(code ?? 70)
  })
}
