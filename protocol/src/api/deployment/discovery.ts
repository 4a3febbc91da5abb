import { Type } from 'typebox'
import { operation } from '../operation.ts'
import { Closed } from '../shapes.ts'

export const getDeployment = operation({
  method: 'GET',
  path: '/.well-known/deputy.json',
  tag: 'Discovery',
  summary: 'This deployment',
  description:
    'Issuer, access mode, where the API is described, and the name and key of the log. Pin the key: it never changes.',
  response: Closed({
    issuer: Type.String(),
    access: Type.String(),
    api: Closed({ version: Type.String(), openapi: Type.String(), docs: Type.String() }),
    jwks_uri: Type.String(),
    log: Closed({
      origin: Type.String({ description: 'The name of the log, as its checkpoints bear it.' }),
      vkey: Type.String({ description: 'The key of the log, as signed notes name keys.' }),
    }),
  }),
  errors: [],
})

export const getHealth = operation({
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Alive?',
  response: Closed({ status: Type.Literal('ok') }),
  errors: [],
})

export const getReadiness = operation({
  method: 'GET',
  path: '/readyz',
  tag: 'Service',
  summary: 'Ready?',
  description: 'Whether the service can make changes durable right now.',
  response: Closed({ status: Type.Literal('ready') }),
  errors: ['storage_unavailable', 'shutting_down'],
})
