/** An Express API that only admits allowed actions: `npx node examples/node/express-guard.ts`. */
import { deputyGuard } from '@deputize/sdk/express'
import express, { type Request } from 'express'

const authority = deputyGuard({ url: process.env.DEPUTY_URL ?? 'http://127.0.0.1:8420' })
const app = express()

app.post('/events', authority('write', 'calendar:events'), (req, res) => {
  res.json({ created: true, by: req.authority?.agent_id })
})

// The resource can be a function of the request. Reads can be decided without asking the service each time.
app.get(
  '/calendars/:name',
  authority('read', (req: Request<{ name: string }>) => `calendar:${req.params.name}`, { offline: true }),
  (req, res) => {
    res.json({ name: req.params.name, events: ['stand-up', 'lunch'] })
  },
)

const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  const address = server.address()
  console.log(`address http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`)
})
