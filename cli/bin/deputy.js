#!/usr/bin/env node
// Runs on any Node that can parse this file, and starts the bundled Node if this one is too old.
import { spawn } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
// The first version that runs TypeScript and has SQLite without a flag.
const isNewEnough = major > 22 || (major === 22 && minor >= 18)

const COMPILED = '../../dist/main.js'

if (isNewEnough) {
  useCompileCache()
  await import(program())
} else runWith(bundledNode())

/** The compiled program, unless a source has changed since. The published package has no sources. */
function program() {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  const source = '../src/main.ts'
  if (!existsSync(join(root, 'cli/src'))) return COMPILED
  try {
    const times = Object.entries(JSON.parse(readFileSync(join(root, 'dist/sources.json'), 'utf8')))
    return times.every(([file, time]) => statSync(join(root, file)).mtimeMs === time) ? COMPILED : source
  } catch {
    return source // not compiled, or a source is gone
  }
}

/** Commands start three times as fast with a compile cache. */
function useCompileCache() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  try {
    const { XDG_CACHE_HOME = '' } = process.env
    const caches = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : join(homedir(), '.cache')
    if (!isAbsolute(caches)) return
    const folder = join(caches, 'deputy')
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (!isPrivate(folder)) return
    module.enableCompileCache(folder)
    process.env.NODE_COMPILE_CACHE = folder // threads and processes of a service don't inherit an enabled cache
  } catch {
    // no cache: commands only start more slowly
  }
}

/** Whether only this user can write to the folder. Its contents are executed. */
function isPrivate(folder) {
  const user = process.getuid?.()
  if (user === undefined) return true // Windows, where a user's folders are private
  const own = lstatSync(folder)
  const around = statSync(dirname(folder))
  const isShared = (around.mode & 0o002) !== 0 && (around.mode & 0o1000) === 0
  const isSafeAround = (around.uid === user || around.uid === 0) && !isShared
  return own.isDirectory() && own.uid === user && (own.mode & 0o022) === 0 && isSafeAround
}

function bundledNode() {
  const folder = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const file = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node'
  try {
    return createRequire(import.meta.url)
      .resolve(`${folder}/package.json`)
      .replace(/package\.json$/, file)
  } catch {
    exitWithoutNode(
      'npm did not install one with Deputy. It does on Linux and Windows, unless optional packages are omitted.',
    )
  }
}

function exitWithoutNode(reason) {
  process.stderr.write(`Deputy needs Node 22.18 or newer. This is ${process.version}, and ${reason}\n`)
  process.exit(78)
}

function runWith(node) {
  const program = [...process.execArgv, fileURLToPath(import.meta.url), ...process.argv.slice(2)]
  const child = spawn(node, program, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => exitWithoutNode(`the bundled one does not start: ${message}.`))
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal)
    process.exit(code ?? 70)
  })
}
