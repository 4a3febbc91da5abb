import { vkeyOf } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'

export const getDeployment: Handler<'getDeployment'> = async (
  _call,
  { issuer, access, node: { version }, keys },
) => ({
  issuer,
  access,
  api: { version, openapi: '/openapi.json', docs: '/docs' },
  jwks_uri: '/.well-known/jwks.json',
  log: { origin: keys.log.key.name, vkey: vkeyOf(keys.log.key) },
})
