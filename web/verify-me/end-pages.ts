/** The pages for each way in which a session can end. */
import { PageRefused, type PreviewedSession } from './page-calls.ts'
import { pagePart, showPage } from './page-parts.ts'
import { type PageTexts, withValues } from './texts.ts'

/** Long enough to read that it worked. */
const RETURN_AFTER_MS = 2_500

export type PageEnd = 'verified' | 'cancelled' | 'expired' | 'failed'

export interface EndedSession extends Pick<PreviewedSession, 'purpose' | 'return_url'> {
  readonly session_id: string
  /** Whether this device only captured: the person continues where they started. */
  readonly is_phone: boolean
}

export function showEnd(end: PageEnd, session: EndedSession, texts: PageTexts): void {
  const title = end === 'verified' && session.purpose === 'enroll' ? texts.enrolled : texts[end]
  const how = end === 'verified' ? undefined : texts[`${end}_how`]
  const parts = how === undefined ? [] : [pagePart('p', 'lead', how)]
  const address = session.is_phone ? undefined : returnAddress(session)
  if (address === undefined) {
    showPage(title, ...parts, pagePart('p', '', session.is_phone ? texts.on_other : texts.close))
    return
  }
  const link = pagePart('a', 'button', withValues(texts.back, { site: address.host }))
  link.href = address.href
  const soon = withValues(texts.going_back, { site: address.host })
  showPage(title, ...parts, ...(end === 'verified' ? [pagePart('p', '', soon)] : []), pagePart('p', '', link))
  if (end === 'verified') setTimeout(() => location.replace(address.href), RETURN_AFTER_MS)
}

/** The service has checked the address. It gets the session's ID but not its result, which the asker reads itself. */
function returnAddress({ return_url, session_id }: EndedSession): URL | undefined {
  if (return_url === undefined || !/^https?:/.test(return_url)) return undefined
  const address = new URL(return_url)
  address.searchParams.set('session_id', session_id)
  return address
}

/** Shows the page for a refused call. */
export function showRefusal(error: PageRefused, is_phone: boolean, texts: PageTexts): void {
  const name = refusalName(error, is_phone)
  showPage(texts[name], pagePart('p', 'lead', texts[`${name}_how`]))
}

function refusalName({ code, state }: PageRefused, is_phone: boolean) {
  if (code === 'session_taken') return 'code_used'
  if (code === 'not_yours') return 'withdrawn'
  if (code === 'session_closed' && state === 'cancelled') return 'cancelled'
  if (code === 'session_closed') return 'expired'
  if (code === 'session_unknown') return is_phone ? 'code_unknown' : 'unknown'
  return 'failed'
}

export function isRefusal(error: unknown): error is PageRefused {
  return error instanceof PageRefused
}

/** Whether another attempt would be refused too. A service that is only too busy answers later. */
export function isFinalRefusal(error: unknown): error is PageRefused {
  return isRefusal(error) && error.status !== 429 && error.status < 500
}
