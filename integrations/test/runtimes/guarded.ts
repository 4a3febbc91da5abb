/** An API behind the guard, which every runtime serves in its own way. */
import { type AuthorityVariables, deputyGuard, type GuardOptions } from '@deputize/sdk/hono'
import { Hono } from 'hono'

type Api = Hono<{ Variables: AuthorityVariables }>

/** The same API once for each path, each with its own guard. */
export function guarded(options: Readonly<Record<string, GuardOptions>>): Hono {
  const app = new Hono()
  for (const [path, each] of Object.entries(options)) app.route(path, api(each))
  return app
}

function api(options: GuardOptions): Api {
  const authority = deputyGuard(options)
  const app: Api = new Hono()
  app.post('/events', authority('write', 'calendar:events'), (c) =>
    c.json({ agent_id: c.get('authority').agent_id }),
  )
  app.get(
    '/calendars/:name',
    authority('read', (c) => `calendar:${c.req.param('name')}`, { offline: true }),
    (c) => c.json({ name: c.req.param('name') }),
  )
  return app
}
