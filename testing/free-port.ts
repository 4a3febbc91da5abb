import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below the ports that systems assign to outgoing connections and to servers that listen on port 0. */
const LOWEST = 12_000
const HIGHEST = 30_000
const ATTEMPTS = 100

/** A port for a program that must know it before it starts. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1)
  return port
}

/** Consecutive free ports, chosen at random, so that concurrent tests get different ones. */
export async function freePorts(count: number): Promise<[number, ...number[]]> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST))
    const others = Array.from({ length: count - 1 }, (_, index) => first + 1 + index)
    const areFree = await Promise.all([first, ...others].map(isFree))
    if (areFree.every(Boolean)) return [first, ...others]
  }
  throw new Error(`no ${count} consecutive ports are free`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false // another program listens there
  }
  server.close()
  await once(server, 'close')
  return true
}
