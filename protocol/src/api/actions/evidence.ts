/** Who vouches for a record. Stores keep the position in this list, so new words are added only at the end. */
export const EVIDENCE = ['self_reported', 'observed', 'countersigned'] as const
export type Evidence = (typeof EVIDENCE)[number]

/** The member of a leaf. The usual case, self_reported, is omitted, as in older leaves. */
export function evidenceMember(evidence: Evidence): { readonly evidence?: Evidence } {
  return evidence === 'self_reported' ? {} : { evidence }
}

/** The evidence of a leaf. An unknown word counts as self_reported. */
export function evidenceIn({ evidence }: { readonly evidence?: unknown }): Evidence {
  return EVIDENCE.find((word) => word === evidence) ?? 'self_reported'
}
