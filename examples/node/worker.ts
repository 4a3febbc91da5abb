/**
 * The same API as a worker for edge runtimes. Bundle it with the tools of your platform, which also sets the variable.
 */
import { deputyGuard } from '@deputize/sdk/hono'
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

// biome-ignore lint/style/noDefaultExport: workers are what a module exports by this name
export default app
