import type { Handler } from '../operation-context.ts'
import { publishedCheckpoint } from './published-checkpoint.ts'

export const getCheckpoint: Handler<'getCheckpoint'> = async (_call, context) =>
  publishedCheckpoint(context).note
