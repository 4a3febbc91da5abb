import type {
  DeputyVerified,
  DeputyVerifyAttributes,
  DeputyVerifyElement,
  DeputyVerifyFailed,
} from '@deputize/sdk/widget'
import '@deputize/sdk/widget'
import { type RefAttributes, useEffect, useRef } from 'react'

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'deputy-verify': DeputyVerifyAttributes & RefAttributes<DeputyVerifyElement>
    }
  }
}

export interface VerifyPersonProps {
  readonly baseUrl: string
  readonly session: string
  readonly token: string
  readonly locale?: string
  /** Keep the callbacks stable with useCallback. */
  readonly onVerified: (verified: DeputyVerified) => void
  readonly onFailed?: (failed: DeputyVerifyFailed) => void
  readonly onCancelled?: () => void
}

/** `<deputy-verify>` as a React component. */
export function VerifyPerson({
  onVerified,
  onFailed,
  onCancelled,
  baseUrl,
  ...attributes
}: VerifyPersonProps) {
  const element = useRef<DeputyVerifyElement>(null)
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    element.current?.addEventListener('verified', ({ detail }) => onVerified(detail), { signal })
    element.current?.addEventListener('failed', ({ detail }) => onFailed?.(detail), { signal })
    element.current?.addEventListener('cancelled', () => onCancelled?.(), { signal })
    return () => ended.abort()
  }, [onVerified, onFailed, onCancelled])
  return <deputy-verify ref={element} base-url={baseUrl} {...attributes} />
}
