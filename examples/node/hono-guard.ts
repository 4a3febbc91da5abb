/** The same API on Hono, here served by Node. `npx node examples/node/hono-guard.ts`. */
import { deputyGuard } from '@deputize/sdk/hono'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const authority = deputyGuard({ url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' })
const app = new Hono()

app.post('/events', authority('write', 'calendar:events'), (c) => {
  return c.json({ created: true, by: c.get('authority').agent_id })
})

app.get(
  '/calendars/:name',
  authority('read', (c) => `calendar:${c.req.param('name')}`, { offline: true }),
  (c) => c.json({ name: c.req.param('name'), events: ['stand-up', 'lunch'] }),
)

serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`address http://127.0.0.1:${port}`)
})
