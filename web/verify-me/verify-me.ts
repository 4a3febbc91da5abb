/** The script of /verify-me/{session}: the page around the widget, for apps that embed nothing. */
import { Desktop } from './desktop.ts'
import { isRefusal, showEnd, showRefusal } from './end-pages.ts'
import { takeLink } from './link-secret.ts'
import { type PageCalls, pageCalls } from './page-calls.ts'
import { pagePart, showPage } from './page-parts.ts'
import { type PageTexts, pageLanguage } from './texts.ts'
import { showWidget } from './widget-place.ts'

const { language, texts } = pageLanguage(navigator.languages)
document.documentElement.lang = language

async function start(): Promise<void> {
  const link = takeLink()
  if (link === undefined) return showPage(texts.unknown, pagePart('p', 'lead', texts.unknown_how))
  const { session_id, secret } = link
  const calls = pageCalls(session_id, secret)
  const isOnPhone = 'transfer_code' in secret
  try {
    if (isOnPhone) await continueHere(session_id, secret.transfer_code, calls, texts)
    else await new Desktop({ session_id, calls, texts }).run()
  } catch (error) {
    if (isRefusal(error)) showRefusal(error, isOnPhone, texts)
    else showPage(texts.trouble, pagePart('p', 'lead', texts.trouble_how))
  }
}

/** The phone that scanned the code: it captures, and the other device goes on. */
async function continueHere(
  session_id: string,
  transfer_code: string,
  calls: PageCalls,
  words: PageTexts,
): Promise<void> {
  const { purpose, state } = await calls.preview()
  const session = { session_id, purpose, is_phone: true }
  if (state === 'cancelled' || state === 'expired') return showEnd(state, session, words)
  const title = purpose === 'enroll' ? words.title_enroll : words.title_verify
  const ends = {
    onVerified: () => showEnd('verified', session, words),
    onCancelled: () => showEnd('cancelled', session, words),
  }
  showWidget(title, { session_id, transfer_code }, ends)
}

// Somebody who scans another code in the same tab gets a fresh page.
addEventListener('hashchange', () => location.reload())
void start()
