/** The issuer of a deployment in open mode in early versions. */
const OPEN_URN = /^urn:deputy:open:([0-9a-z]+)$/
const OPEN_URL = /^https?:\/\/[^/?#\s]+\/open\/([0-9a-z]+)$/

/**
 * The issuer of tokens in open mode. Its path keeps it apart from the issuer in keyed mode, which is an address without a
 * path, so a token issued in open mode never passes in keyed mode.
 */
export function openIssuer(public_url: string, instance: string): string {
  return `${public_url}${openIssuerPath(instance)}`
}

export function openIssuerPath(instance: string): string {
  return `/open/${instance}`
}

/**
 * Whether two issuers are the same deployment. In open mode only the instance counts, whatever the address was at the
 * time.
 */
export function isSameIssuer(one: string, other: string): boolean {
  if (one === other) return true
  const instance = openInstance(one)
  return instance !== undefined && instance === openInstance(other)
}

function openInstance(issuer: string): string | undefined {
  return (OPEN_URL.exec(issuer) ?? OPEN_URN.exec(issuer))?.[1]
}
