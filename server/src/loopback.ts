/** Whether an address as sockets report it belongs to this machine alone. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}
