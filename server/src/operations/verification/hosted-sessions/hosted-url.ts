import type { OperationContext } from '../../operation-context.ts'

/** The page of a session. Browsers keep what is behind the # to themselves. */
export function hostedUrl(
  session_id: string,
  fragment: string,
  { public_url }: Pick<OperationContext, 'public_url'>,
): string {
  return `${public_url()}/verify-me/${session_id}#${fragment}`
}
