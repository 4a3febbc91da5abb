import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestScope } from '../scope.ts'
import type { Files } from './a-log.ts'

/** Handles a request and returns true, or returns false to have a file served. */
export type Interrupt = (request: IncomingMessage, response: ServerResponse) => boolean

export interface ServedLog {
  readonly url: string
  /** The served files. A test changes them to make the server lie. */
  files: Files
  interrupt: Interrupt
  readonly requests: string[]
  readonly most_at_once: () => number
}

/** An HTTP server on loopback that serves the files of a log. */
export async function serveLog(scope: TestScope, files: Files): Promise<ServedLog> {
  let open = 0
  let most = 0
  const requests: string[] = []
  const served: ServedLog = {
    url: '',
    files,
    interrupt: () => false,
    requests,
    most_at_once: () => most,
  }
  const server = createServer((request, response) => {
    open += 1
    most = Math.max(most, open)
    response.on('close', () => {
      open -= 1
    })
    const path = (request.url ?? '/').slice(1)
    requests.push(path)
    if (served.interrupt(request, response)) return
    const bytes = served.files.get(path)
    if (bytes === undefined) response.writeHead(404).end()
    else response.writeHead(200, { 'content-type': typeOf(path) }).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  server.unref() // a skipped test must not keep the process alive
  scope.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  // The server listens on TCP, so that its address has a port.
  const { port } = server.address() as AddressInfo
  return Object.assign(served, { url: `http://127.0.0.1:${port}` })
}

function typeOf(path: string): string {
  if (path.endsWith('.json')) return 'application/json'
  if (path.endsWith('.js')) return 'text/javascript'
  return path === 'checkpoint' ? 'text/plain; charset=utf-8' : 'application/octet-stream'
}
