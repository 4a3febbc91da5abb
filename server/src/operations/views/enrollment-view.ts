import type { BiometricDocument } from '../identity/biometric-entries.ts'
import type { OperationContext } from '../operation-context.ts'

/** Returns what may be shown about a template. It is the same with and without a sign of coercion. */
export function enrollmentView(
  document: BiometricDocument | undefined,
  { verification: { consent: current } }: Pick<OperationContext, 'verification'>,
) {
  if (document === undefined) return { enrolled: false } as const
  const { template, consent, enrolled_at, replaced_at, retention_until } = document
  return {
    enrolled: true as const,
    enrolled_at,
    ...(replaced_at !== undefined && { replaced_at }),
    retention_until,
    consent: { ...consent, is_current: consent.text_hash === current.text_hash },
    engine_version: template.engine_version,
    has_voice: Object.keys(template.voice).length > 0,
  }
}
