import { allowsAction, allowsResource } from '../../../../protocol/src/token/scope.ts'
import type { Claims } from '../generated/operations.ts'
import type { RequestedAction } from './options.ts'

/** Limits that can be checked from the token and the clock alone. */
const PLAIN_LIMITS: readonly string[] = [
  'not_before',
  'expires_at',
  'max_delegation_depth',
  'allowed_audiences',
  // Already met when the token was issued.
  'verification_providers',
]

/** Whether the token alone decides: it has no limits that only the service can check, and no policies. */
export function isDecidableOffline({ svc_constraints = {}, svc_policy_assertions }: Claims): boolean {
  const limits = Object.keys(svc_constraints)
  return (
    svc_policy_assertions === undefined &&
    limits.every((name) => PLAIN_LIMITS.includes(name) || name.startsWith('x_'))
  )
}

/** Returns the reasons why the token does not allow the action. Empty if it does. */
export function offlineReasons(
  { svc_scope, svc_constraints = {} }: Claims,
  { action, resource }: RequestedAction,
  now_ms: number,
): string[] {
  return [
    ...(allowsAction(svc_scope, action) ? [] : ['action_not_in_scope']),
    ...(allowsResource(svc_scope, resource) ? [] : ['resource_not_in_scope']),
    ...timeReasons(svc_constraints, now_ms),
  ]
}

function timeReasons(
  { not_before, expires_at }: Readonly<Record<string, unknown>>,
  now_ms: number,
): string[] {
  if (typeof not_before === 'string' && Date.parse(not_before) > now_ms) return ['token_not_yet_valid']
  return typeof expires_at === 'string' && Date.parse(expires_at) <= now_ms ? ['token_expired'] : []
}
