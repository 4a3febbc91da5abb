/** An address with the port of the connection, as some proxies forward it. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/

/** Returns the address alone. */
export function withoutPort(forwarded: string): string {
  const [, v4, v6] = WITH_PORT.exec(forwarded) ?? []
  return v4 ?? v6 ?? forwarded
}

/** Returns the network of the first groups of 16 bits of an IPv6 address, such as `2001:db8:1:2::/64` for four. */
export function ipv6Network(address: string, groups: number): string {
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]?.split('::') ?? []
  const before = head.split(':').filter(isSome)
  const after = tail.split(':').filter(isSome)
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0')
  const first = [...before, ...zeros, ...after].slice(0, groups).map((group) => Number.parseInt(group, 16))
  return `${first.map((group) => group.toString(16)).join(':')}::/${groups * 16}`
}

function isSome(group: string): boolean {
  return group !== ''
}
