import type { OperationContext } from '../../operation-context.ts'

/** Returns the URL of a session's page. Browsers don't send the fragment to servers. */
export function hostedUrl(
  session_id: string,
  fragment: string,
  { public_url }: Pick<OperationContext, 'public_url'>,
): string {
  return `${public_url()}/verify-me/${session_id}#${fragment}`
}
