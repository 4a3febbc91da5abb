import { BlockList, isIP, isIPv6 } from 'node:net'

/** Private targets that the operator allows in addition to the public internet. */
export interface OutboundAllowlist {
  /** The setting that it was read from, so that another thread can read it too. */
  readonly text: string
  /** Whether a host is listed by name with this port. Any address that it resolves to may be called. */
  listsName(host: string, port: number): boolean
  /** Whether an address is listed, with this port or with any. */
  listsAddress(address: string, port: number): boolean
}

export const NOTHING_LISTED: OutboundAllowlist = {
  text: '',
  listsName: () => false,
  listsAddress: () => false,
}

interface Listed {
  readonly list: BlockList
  /** Undefined: any port. */
  readonly port: number | undefined
}

const HOST_AND_PORT = /^(?<host>\[[0-9a-f:.]+\]|[^\s:/[\]]+):(?<port>\d{1,5})$/i
const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

/**
 * Reads `127.0.0.1:9000, [::1]:9000, hooks.internal:8080, 10.1.0.0/16`: a host with a port, or a range of addresses with
 * any port. `problems` names every part that is neither.
 */
export function readAllowlist(text: string): {
  readonly allowlist: OutboundAllowlist
  readonly problems: readonly string[]
} {
  const parts = text.split(',').map((part) => part.trim())
  if (parts.every((part) => part === '')) return { allowlist: NOTHING_LISTED, problems: [] }
  const names = new Set<string>()
  const listed: Listed[] = []
  const problems: string[] = []
  for (const part of parts.filter((one) => one !== '')) {
    const found = addressesIn(part)
    if (found !== undefined) listed.push(found)
    else if (isNameWithPort(part)) names.add(part.toLowerCase())
    else
      problems.push(
        `"${part}" is neither a host with a port, such as 127.0.0.1:9000, nor a range of addresses, such as 10.1.0.0/16.`,
      )
  }
  return {
    problems,
    allowlist: {
      text,
      listsName: (host, port) => names.has(`${host.toLowerCase()}:${port}`),
      listsAddress: (address, port) =>
        listed.some((one) => (one.port ?? port) === port && holds(one.list, address)),
    },
  }
}

function addressesIn(part: string): Listed | undefined {
  const [network = '', prefix] = part.split('/')
  if (prefix !== undefined) return rangeOf(network, prefix)
  const { host = '', port = '' } = HOST_AND_PORT.exec(part)?.groups ?? {}
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) === 0 || !isPort(port)) return undefined
  const list = new BlockList()
  list.addAddress(address, familyOf(address))
  return { list, port: Number(port) }
}

function rangeOf(network: string, prefix: string): Listed | undefined {
  const most = isIPv6(network) ? 128 : 32
  if (isIP(network) === 0 || network.includes('%') || !/^\d{1,3}$/.test(prefix) || Number(prefix) > most)
    return undefined
  const list = new BlockList()
  list.addSubnet(network, Number(prefix), familyOf(network))
  return { list, port: undefined }
}

function isNameWithPort(part: string): boolean {
  const { host = '', port = '' } = HOST_AND_PORT.exec(part)?.groups ?? {}
  // Some programs read any dotted numbers as an address.
  return NAME.test(host) && !/^[\d.]+$/.test(host) && isPort(port)
}

function isPort(text: string): boolean {
  return Number(text) >= 1 && Number(text) <= 65_535
}

/** Whether the list holds an address. Addresses with a zone and IPv4-mapped IPv6 addresses never match. */
function holds(list: BlockList, address: string): boolean {
  if (isIP(address) === 0 || address.includes('%') || /^::ffff:/i.test(address)) return false
  return list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}
