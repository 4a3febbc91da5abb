/** The dashboard: one page for `/app` and every path below it, and the files that it loads. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { AuthorityError } from '@deputize/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AccessMode } from '../../domain/access-mode.ts'
import { escapeHtml } from './html.ts'

/** Built by `node web/build.ts`. */
const BUILT = new URL('../../../../web/dist/app/', import.meta.url)

const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** Fonts are compressed already. */
const COMPRESSED = ['css', 'js', 'json', 'svg']
const FILE_NAME = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.(css|js|json|svg|woff2)$/

interface BuiltFile {
  readonly type: string
  readonly body: Buffer
  /** Compressed at the first request: at startup it would take longer than all else. Undefined if it saves nothing. */
  readonly gzip: (() => Buffer) | undefined
}

/** The files listed in the build's `index.json`. Only listed files are served, so no request path reaches the disk. */
export interface DashboardBuild {
  readonly script: string
  readonly style: string
  readonly files: ReadonlyMap<string, BuiltFile>
}

let own: DashboardBuild | undefined

/** The build that comes with this code. Read once, however many servers this process builds. */
export function ownDashboard(): DashboardBuild {
  own ??= readDashboard(BUILT)
  return own
}

export function readDashboard(folder: URL): DashboardBuild {
  const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as {
    // The build writes nothing else.
    readonly script: string
    readonly style: string
    readonly files: readonly string[]
  }
  const files = new Map(index.files.map((name) => [name, builtFile(name, folder)]))
  return { script: index.script, style: index.style, files }
}

function builtFile(name: string, folder: URL): BuiltFile {
  const [, ending = ''] = FILE_NAME.exec(name) ?? []
  const type = TYPES[ending]
  if (type === undefined)
    throw new Error(`web/dist/app/index.json lists ${name}, which is not a file of the dashboard`)
  const body = readFileSync(new URL(name, folder))
  let compressed: Buffer | undefined
  const gzip = () => {
    compressed ??= gzipSync(body, { level: 9 })
    return compressed
  }
  return { type, body, gzip: COMPRESSED.includes(ending) ? gzip : undefined }
}

export interface DashboardOptions {
  readonly version: string
  readonly access: AccessMode
  readonly build: DashboardBuild
}

export function addDashboard(app: FastifyInstance, options: DashboardOptions): void {
  // Operators stop agents here, so no quota applies.
  const route = { config: { lane: 'stop' } } as const
  const shell = shellPage(options)
  const sendShell = async (_request: FastifyRequest, reply: FastifyReply) =>
    reply
      .type('text/html; charset=utf-8')
      .headers({
        'content-security-policy': CSP,
        'x-frame-options': 'DENY',
        'cross-origin-opener-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-cache',
      })
      .send(shell)
  app.get('/app', route, sendShell)
  app.get('/app/*', route, sendShell)
  app.get<{ Params: { file: string } }>('/app/assets/:file', route, async (request, reply) => {
    const file = options.build.files.get(request.params.file)
    if (file === undefined) throw new AuthorityError('not_found')
    return sendFile(file, request, reply)
  })
}

/** Sends a file that caches can keep, because its name contains its hash. */
function sendFile(
  { type, body, gzip }: BuiltFile,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  reply
    .type(type)
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'Accept-Encoding' })
  if (gzip === undefined || !acceptsGzip(request)) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(gzip())
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  return /(^|,)\s*gzip\s*(?!;\s*q=0(\.0*)?\s*(,|$))/.test(String(headers['accept-encoding'] ?? ''))
}

function shellPage({ version, access, build }: DashboardOptions): string {
  const { script, style } = build
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<meta name="deputy-mode" content="${access}">
<meta name="deputy-version" content="${escapeHtml(version)}">
<title>Deputy</title>
<link rel="icon" href="/icon.svg">
<link rel="stylesheet" href="/app/assets/${escapeHtml(style)}">
<script type="module" src="/app/assets/${escapeHtml(script)}"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The dashboard requires JavaScript.</p></noscript>
</body>
</html>`
}
