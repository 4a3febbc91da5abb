import { OPERATIONS } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'

/** Metadata of the OpenID AuthZEN Authorization API. */
export const getAuthzenConfiguration: Handler<'getAuthzenConfiguration'> = async ({ origin }) => ({
  policy_decision_point: origin,
  access_evaluation_endpoint: `${origin}${OPERATIONS.evaluateAccess.path}`,
  access_evaluations_endpoint: `${origin}${OPERATIONS.evaluateAccesses.path}`,
})
