import type { Handler } from '../../operation-context.ts'

export const getConsent: Handler<'getConsent'> = async (
  _call,
  { verification: { consent, biometric_retention_days } },
) => ({
  ...consent,
  retention_days: biometric_retention_days,
})
