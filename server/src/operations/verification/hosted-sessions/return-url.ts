import { invalidField } from '@deputize/protocol'
import { LOCAL_HOSTS } from '../../../loopback.ts'
import type { OperationContext } from '../../operation-context.ts'

/**
 * Refuses an unsafe return address. A session's page sends people there, so it must not become an open redirect: if the
 * operator names the sites that embed the widget, people return to one of those or to the service itself.
 */
export function assertReturnUrl(
  text: string,
  { access, widget_origins, public_url }: Pick<OperationContext, 'access' | 'widget_origins' | 'public_url'>,
): void {
  const url = URL.parse(text)
  if (url?.username || url?.password)
    throw invalidField('/return_url', 'must not carry a user name or a password')
  // The origin alone doesn't show how the address is opened: a blob: URL has the origin of its creator.
  if (url?.origin === public_url() && /^https?:$/.test(url.protocol)) return
  const isLocal = access === 'open' && url?.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname)
  if (isLocal) return
  if (url?.protocol !== 'https:') throw invalidField('/return_url', 'must be an https address')
  if (widget_origins.length > 0 && !widget_origins.includes(url.origin))
    throw invalidField('/return_url', 'must be on one of the sites in DEPUTY_WIDGET_ORIGINS')
}
