import fastify from 'fastify'

let script: Promise<Buffer> | undefined

/** Returns Scalar's browser script for the interactive API reference, served from here so that it works offline. */
export function referenceScript(): Promise<Buffer> {
  script ??= extractScript()
  return script
}

/**
 * Gets the script from the package, which offers it only through a Fastify route, so the route is called once. The
 * script is large and loaded only when the page is opened.
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
