/** Registry entries that tell which tenant a person belongs to. */
import type { RegistryKind } from './port/registry.ts'

/** What only a sign-in leaves: its ref is derived for the tenant. */
export const SIGN_IN_KINDS = ['session', 'passkey', 'identity'] as const satisfies RegistryKind[]
/** The result of a capture. The caller who opened its session named the person. */
export const CAPTURE_KINDS = ['biometric', 'verification'] as const satisfies RegistryKind[]
