import fastify from 'fastify'

let script: Promise<Buffer> | undefined

/** The interactive API reference: the browser program of Scalar, served from here so that it works offline. */
export function referenceScript(): Promise<Buffer> {
  script ??= extractScript()
  return script
}

/**
 * The package hands its browser program out only through a route of its own, so ask that route once. It is large, and
 * loaded only when somebody opens the page.
 */
async function extractScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const app = fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { content: {} } })
  const { rawPayload } = await app.inject('/reference/js/scalar.js')
  await app.close()
  return rawPayload
}

export function referencePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Deputy API</title>
</head>
<body>
<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>`
}
