/** Registry entries that show which tenant a person belongs to. */
import type { RegistryKind } from './port/registry.ts'

/** Only a sign-in creates these for a person. Its ref is derived for the tenant. */
export const SIGN_IN_KINDS = ['session', 'passkey', 'identity', 'api_key'] as const satisfies RegistryKind[]
/** Results of a capture. The caller that opened its session named the person. */
export const CAPTURE_KINDS = ['biometric', 'verification'] as const satisfies RegistryKind[]
