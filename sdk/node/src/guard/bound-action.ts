import {
  type BoundHttpRequest,
  boundHttpRequest,
} from '../../../../protocol/src/api/actions/bound-request.ts'
import type { GuardedRequest } from './admission.ts'
import type { GuardOptions, RequestedAction } from './options.ts'

const MAX_BODY_BYTES = 1024 * 1024

/** The metadata of an action: facts from the author of the route, and the request that is authorized. */
export type BoundMetadata = Readonly<Record<string, unknown>> & { readonly request: BoundHttpRequest }

/** Returns the metadata with the request bound into it. The body is read first, because a summary may consume it. */
export async function boundMetadata(
  { method, target, route, header, bodySha256 }: GuardedRequest,
  { metadata = {}, bind_body, summary }: RequestedAction,
  { max_body_bytes = MAX_BODY_BYTES }: GuardOptions,
): Promise<BoundMetadata> {
  const body_sha256 = bind_body ? await bodySha256(max_body_bytes) : undefined
  const request = boundHttpRequest({
    method,
    route,
    target,
    body_sha256,
    content_type: header('content-type'),
    content_encoding: header('content-encoding'),
    summary: await summary(),
  })
  return { ...metadata, request }
}
