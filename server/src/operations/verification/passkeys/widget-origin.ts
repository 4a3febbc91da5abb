import { LOCAL_HOSTS } from '../../../loopback.ts'
import type { OperationContext } from '../../operation-context.ts'

/** Whether pages of this origin may embed the widget. In open mode pages on this machine may, on any port. */
export function isWidgetOrigin(
  origin: string,
  { access, widget_origins }: Pick<OperationContext, 'access' | 'widget_origins'>,
): boolean {
  if (widget_origins.includes(origin)) return true
  const url = URL.parse(origin)
  const isLocal = url?.protocol === 'http:' && LOCAL_HOSTS.includes(url.hostname) && url.origin === origin
  return access === 'open' && isLocal
}
