/** Tries things that a judging process must not be able to do, and reports which worked. Started by the pool's test. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'

const ATTEMPTS: Readonly<Record<string, (place: string) => unknown>> = {
  'write a file': (place) => writeFileSync(`${place}/written`, 'media'),
  'make a folder': (place) => mkdirSync(`${place}/made`),
  'write where it may read': () => writeFileSync(`${process.cwd()}/written`, 'media'),
  'read a file of the service': (place) => readFileSync(`${place}/keys.json`),
  'read the users of the machine': () => readFileSync('/etc/passwd'),
  'read the environment of its parent': () => readFileSync(`/proc/${process.ppid}/environ`),
  'start a program': () => {
    const { error } = spawnSync('true')
    if (error !== undefined) throw error
  },
  'start a thread': () => new Worker('', { eval: true }),
}

process.once('message', (place: string) => {
  const possible = Object.entries(ATTEMPTS).flatMap(([what, attempt]) =>
    isPossible(attempt, place) ? what : [],
  )
  const prototype = Object.getOwnPropertyDescriptor(Object.prototype, '__proto__')
  process.send?.(
    { possible, environment: Object.keys(process.env), has_proto: prototype !== undefined },
    () => process.exit(),
  )
})

function isPossible(attempt: (place: string) => unknown, place: string): boolean {
  try {
    attempt(place)
    return true
  } catch {
    return false
  }
}
