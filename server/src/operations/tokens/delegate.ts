import type { Handler } from '../operation-context.ts'
import { issueChild } from './delegation.ts'

export const delegate: Handler<'delegate'> = async (call, context) => issueChild(call.body, call, context)
