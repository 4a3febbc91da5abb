/** This machine as the host of a URL, in the names that people and browsers write. */
export const LOCAL_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether an address, as a socket reports it, is a loopback address. */
export function isLoopback(address: string | undefined): boolean {
  if (address === undefined) return false
  if (address === '127.0.0.1') return true // as most are
  const plain = address.toLowerCase().replace(/^::ffff:/, '')
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}
