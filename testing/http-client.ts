import { Agent, type IncomingMessage, request } from 'node:http'
import type { Answer } from './a-test-app.ts'
import type { TestScope } from './scope.ts'

/** Calls a running program over keep-alive connections, as production clients do. */
export interface HttpClient {
  get(path: string, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  delete(path: string, headers?: Record<string, string>): Promise<Answer>
  close(): void
}

/** Closes idle connections before the service would, like careful clients. */
const IDLE_MS = 3_000

/**
 * Every call settles: with a whole response, or with an error if the connection was refused or cut. The error's
 * `is_first_use` is true if the connection had carried no call before.
 */
export function httpClient(scope: TestScope, url: string, connections = 64): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, timeout: IDLE_MS })
  scope.after(() => agent.destroy())

  function call(method: string, path: string, body: unknown, headers: Record<string, string>) {
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    return new Promise<Answer>((resolve, reject) => {
      const sent = request(`${url}${path}`, {
        method,
        agent,
        headers: {
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(payload)),
          }),
          ...headers,
        },
      })
      sent.on('error', (error) => reject(Object.assign(error, { is_first_use: !sent.reusedSocket })))
      sent.on('response', (response) => readAnswer(response).then(resolve, reject))
      sent.end(payload)
    })
  }

  return {
    get: (path, headers = {}) => call('GET', path, undefined, headers),
    post: (path, body, headers = {}) => call('POST', path, body, headers),
    delete: (path, headers = {}) => call('DELETE', path, undefined, headers),
    close: () => agent.destroy(),
  }
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const isJson = String(response.headers['content-type']).includes('json')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: isJson ? JSON.parse(text) : text,
  }
}
