/** The part of a Node request that tells who closed its connection. */
export interface ConnectedRequest {
  readonly httpVersionMajor?: number
  readonly socket?: { readonly readableEnded?: boolean; readonly errored?: Error | null }
}

/**
 * Whether the API itself broke off a response that closed before its end. A caller that leaves has closed its side of
 * the connection, or has reset it.
 */
export function isBrokenOff(
  { httpVersionMajor, socket }: ConnectedRequest,
  { errored }: { readonly errored?: Error | null },
): boolean {
  if (errored instanceof Error) return true
  if (httpVersionMajor !== 1 || socket === undefined) return false // the sockets of HTTP/2 can't be read by then
  return socket.readableEnded === false && socket.errored === null
}
