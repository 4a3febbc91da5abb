/** The consumer and the API in a worker. */
import type { ExecutionContext } from 'hono'
import { consume, findCauses, type Settings } from './consumer.ts'
import { guarded } from './guarded.ts'

// Created at the top level, as is usual in workers, where neither time nor network is available yet.
const app = guarded(GUARDS)

const WORKS: Readonly<Record<string, (settings: Settings) => Promise<object>>> = {
  '/consume': consume,
  '/causes': findCauses,
}

// biome-ignore lint/style/noDefaultExport: workers are what a module exports by this name
export default {
  async fetch(request: Request, env: object, lifetime: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    const work = WORKS[pathname]
    if (work === undefined) return app.fetch(request, env, lifetime)
    const settings = (await request.json()) as Settings // the test sends them
    return Response.json(await work(settings))
  },
}
