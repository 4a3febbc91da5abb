import type { Leaf } from '../../log/leaf.ts'

/** The credential and role that a stream depends on. */
export type CredentialWatch =
  | {
      readonly of: 'person'
      readonly human_refs: readonly string[]
      /** The tenant whose approvals they see as a reviewer. */
      readonly reviews?: string | undefined
    }
  | { readonly of: 'agent' }
  | { readonly of: 'key'; readonly tenant_id: string }

/** Whether a leaf may have ended the credential, so that it must be verified again. */
export function mayEnd(watch: CredentialWatch, { type, tenant_id, human_ref, kind }: Leaf): boolean {
  switch (watch.of) {
    case 'person':
      if (watch.reviews !== undefined && kind === 'tenant' && tenant_id === watch.reviews) return true
      return typeof human_ref === 'string' && watch.human_refs.includes(human_ref)
    case 'agent':
      return type !== 'session.ended' && type !== 'registry.changed'
    case 'key':
      return type === 'registry.changed' && tenant_id === watch.tenant_id
  }
}
