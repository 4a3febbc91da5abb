/** The part of a Node request that tells who closed its connection. */
export interface ConnectedRequest {
  readonly httpVersionMajor?: number
  readonly socket?: { readonly readableEnded?: boolean; readonly errored?: Error | null }
}

/**
 * Whether the API itself broke off a response that closed before its end. A caller that leaves has closed its side of
 * the connection, or has reset it. An error may then be how the handler stops.
 */
export function isBrokenOff(
  { httpVersionMajor, socket }: ConnectedRequest,
  { errored }: { readonly errored?: Error | null },
): boolean {
  const known = httpVersionMajor === 1 ? socket : undefined // the sockets of HTTP/2 can't be read by then
  if (known?.readableEnded === true) return false
  return errored instanceof Error || (known?.readableEnded === false && known.errored === null)
}
