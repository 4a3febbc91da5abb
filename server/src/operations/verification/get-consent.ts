import type { Handler } from '../operation-context.ts'

const DAY_MS = 86_400_000

export const getConsent: Handler<'getConsent'> = async (_call, { consent, biometric_retention_ms }) => ({
  ...consent,
  retention_days: biometric_retention_ms / DAY_MS,
})
