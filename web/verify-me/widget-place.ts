/** The widget on this page. It opens the session with a code, so it never has the secret that collects the token. */
import { pagePart, showPage } from './page-parts.ts'

export interface WidgetEnds {
  readonly onVerified: () => void
  readonly onCancelled: () => void
}

export function showWidget(
  title: string,
  { session_id, transfer_code }: { readonly session_id: string; readonly transfer_code: string },
  { onVerified, onCancelled }: WidgetEnds,
  ...below: readonly Node[]
): void {
  const widget = document.createElement('deputy-verify')
  widget.setAttribute('session', session_id)
  widget.setAttribute('transfer-code', transfer_code)
  widget.setAttribute('locale', document.documentElement.lang)
  widget.addEventListener('verified', onVerified)
  widget.addEventListener('cancelled', onCancelled)
  showPage(title, pagePart('div', 'widget', widget), ...below)
}
