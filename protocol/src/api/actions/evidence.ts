/** Who vouches for a record. In the order in which stores keep it: the list only ever grows at the end. */
export const EVIDENCE = ['self_reported', 'observed', 'countersigned'] as const
export type Evidence = (typeof EVIDENCE)[number]

/** How a leaf says it. What the agent says itself is the usual case and is not mentioned, as in leaves from before. */
export function evidenceMember(evidence: Evidence): { readonly evidence?: Evidence } {
  return evidence === 'self_reported' ? {} : { evidence }
}

/** What a leaf says. A word that is not in the list vouches for nothing. */
export function evidenceIn({ evidence }: { readonly evidence?: unknown }): Evidence {
  return EVIDENCE.find((word) => word === evidence) ?? 'self_reported'
}
