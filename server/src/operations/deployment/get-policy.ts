import type { Handler } from '../operation-context.ts'
import { findPolicy } from './find-policy.ts'

export const getPolicy: Handler<'getPolicy'> = async ({ params }, context) => findPolicy(params.name, context)
