import '@deputize/sdk/widget'
import { useEffect, useRef } from 'react'

/** `<deputy-verify>` as a React component. Keep the callbacks stable with useCallback. */
export function VerifyPerson({ baseUrl, session, token, locale, onVerified, onFailed, onCancelled }) {
  const element = useRef(null)
  useEffect(() => {
    const listeners = { verified: onVerified, failed: onFailed, cancelled: onCancelled }
    const ended = new AbortController()
    for (const [name, listener] of Object.entries(listeners))
      element.current?.addEventListener(name, ({ detail }) => listener?.(detail), { signal: ended.signal })
    return () => ended.abort()
  }, [onVerified, onFailed, onCancelled])
  return <deputy-verify ref={element} base-url={baseUrl} session={session} token={token} locale={locale} />
}
