/** Compiled against the declarations of the package and the frameworks, never run. */
import { deputyGuard as forExpress } from '@deputize/sdk/express'
import { deputyGuard as forFastify } from '@deputize/sdk/fastify'
import { deputyGuard as forHono } from '@deputize/sdk/hono'
import { openTelemetry } from '@deputize/sdk/opentelemetry'
import express, { type Request } from 'express'
import { fastify } from 'fastify'
import { Hono } from 'hono'

const options = { url: 'http://127.0.0.1:8420', tracing: openTelemetry() }

express().post(
  '/events/:name',
  forExpress(options)('write', (req: Request<{ name: string }>) => `a:${req.params.name}`),
  (req, res) => void res.json({ agent: req.authority?.agent_id }),
)
express().get(
  '/calendars/:name',
  forExpress(options)('read', (req) => `calendar:${req.params.name}`),
  (_req, res) => void res.end(),
)
fastify().post('/events', forFastify(options)('write', 'a:b'), async (request) => request.authority?.agent_id)
new Hono().post(
  '/events',
  forHono(options)('write', (c) => `a:${c.req.param('x')}`),
  (c) => c.text(c.get('authority').agent_id),
)
