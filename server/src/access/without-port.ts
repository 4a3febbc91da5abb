/** An address with the port of the connection, as some proxies forward it. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/

/** Returns the address alone. */
export function withoutPort(forwarded: string): string {
  const [, v4, v6] = WITH_PORT.exec(forwarded) ?? []
  return v4 ?? v6 ?? forwarded
}
