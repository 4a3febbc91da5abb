/** The same API on Fastify: the guard provides the options of the route. `npx node examples/node/fastify-guard.ts`. */
import { deputyGuard } from '@deputize/sdk/fastify'
import { fastify } from 'fastify'

const authority = deputyGuard({ url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' })
const app = fastify()

app.post('/events', authority('write', 'calendar:events'), async (request) => {
  return { created: true, by: request.authority?.agent_id }
})

app.get<{ Params: { name: string } }>(
  '/calendars/:name',
  authority('read', ({ params }) => `calendar:${(params as { name: string }).name}`, { offline: true }),
  async (request) => ({ name: request.params.name, events: ['stand-up', 'lunch'] }),
)

console.log(`address ${await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) })}`)
