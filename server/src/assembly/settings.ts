import { type Config, restoreWarning } from '../config.ts'
import type { OperationContext } from '../operations/operation-context.ts'
import { consentNotice } from './identity.ts'

type OperationSettings = Pick<
  OperationContext,
  | 'access'
  | 'approval_ttl_ms'
  | 'biometric_retention_days'
  | 'consent'
  | 'is_restore_unnoticed'
  | 'l3_passkey'
  | 'pending_ttl_ms'
  | 'verification_retention_days'
  | 'widget_origins'
  | 'witness_quorum'
>

/** What operations learn from the configuration as it is. */
export function operationSettings(config: Config): OperationSettings {
  return {
    access: config.access,
    approval_ttl_ms: config.approval_ttl_s * 1000,
    biometric_retention_days: config.biometric_retention_days,
    consent: consentNotice(config),
    is_restore_unnoticed: restoreWarning(config) !== undefined,
    l3_passkey: config.l3_passkey,
    pending_ttl_ms: config.pending_ttl_s * 1000,
    verification_retention_days: config.verification_retention_days,
    widget_origins: config.widget_origins,
    witness_quorum: config.witness_quorum,
  }
}
