import type { Handler } from '../operation-context.ts'

export const getHealth: Handler<'getHealth'> = async () => ({ status: 'ok' })
