import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Special-purpose (IANA), multicast and reserved ranges of IPv4. No public service has an address in them.
 */
const SPECIAL_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/**
 * Special ranges within 2000::/3: protocol assignments with Teredo and ORCHID, documentation, and 6to4, which embeds an
 * IPv4 address. Everything outside 2000::/3 is refused: loopback, mapped, translated (NAT64), unique local, link local,
 * site local and multicast addresses.
 */
const SPECIAL_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]

const special = new BlockList()
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6')

const unicast = new BlockList()
unicast.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address is on the public internet. False for anything that is not an address, and for zone ids. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  if (isIPv6(address)) return unicast.check(address, 'ipv6') && !special.check(address, 'ipv6')
  return !special.check(address, 'ipv4')
}
