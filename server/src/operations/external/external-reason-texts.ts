import type { ExternalReason } from '../../verification/external/verdict.ts'

/** Why a verification provider did not pass a person, for that person. The provider's own text is never shown. */
export const EXTERNAL_REASON_TEXTS: Readonly<Record<ExternalReason, string>> = {
  document_unverified: 'The document could not be verified.',
  document_expired: 'The document, or its verification, has expired.',
  document_type: 'This kind of document is not accepted.',
  selfie_unverified: 'The selfie could not be verified.',
  face_mismatch: 'The face does not match the document.',
  liveness_failed: 'The provider could not confirm that a live person was present.',
  data_mismatch: "The person's data doesn't match.",
  under_age: 'The person is too young.',
  fraud_suspected: 'The provider suspects fraud.',
  consent_declined: 'The person did not agree to the check.',
  abandoned: 'The person did not finish the check.',
  unsupported: 'The provider cannot verify this person with the requested method.',
  technical: 'A technical problem at the provider. Try again.',
  other: 'The provider did not verify the person.',
}
