/** The script of /verify-me/{session}: the page around the widget, for apps that embed nothing. */
import { Desktop } from './desktop.ts'
import { isFinalRefusal, isRefusal, showEnd, showRefusal } from './end-pages.ts'
import { isReturn, keyOfWidget, type LinkedSession, takeLink } from './link-secret.ts'
import { ASK_AGAIN_MS, type PageCalls, pageCalls } from './page-calls.ts'
import { pagePart, showPage } from './page-parts.ts'
import { type PageTexts, pageLanguage } from './texts.ts'
import { showWidget } from './widget-place.ts'

const { language, texts } = pageLanguage(navigator.languages)
document.documentElement.lang = language

function start(): Promise<void> | void {
  const link = takeLink()
  if (link !== undefined) return run(link)
  const name = isReturn() ? 'returned' : 'unknown'
  showPage(texts[name], pagePart('p', 'lead', texts[`${name}_how`]))
}

async function run({ session_id, secret }: LinkedSession): Promise<void> {
  const calls = pageCalls(session_id, secret)
  const isOnPhone = 'transfer_code' in secret
  try {
    if (isOnPhone) await continueHere(session_id, secret.transfer_code, calls, texts)
    else await new Desktop({ session_id, calls, texts }).run()
  } catch (error) {
    if (isFinalRefusal(error)) return showRefusal(error, isOnPhone, texts)
    showPage(texts.trouble, pagePart('p', 'lead', texts.trouble_how))
    setTimeout(() => void run({ session_id, secret }), ASK_AGAIN_MS)
  }
}

/** Runs on the phone that scanned the code: it captures, and the other device continues afterwards. */
async function continueHere(
  session_id: string,
  transfer_code: string,
  calls: PageCalls,
  words: PageTexts,
): Promise<void> {
  const { purpose, state } = await calls.preview().catch((error: unknown) => {
    // A code works once. A reloaded page continues with the key that the widget has kept.
    const nonce = keyOfWidget(session_id)
    if (nonce === undefined || !isRefusal(error)) throw error
    return pageCalls(session_id, { nonce })
      .preview()
      .catch(() => Promise.reject(error))
  })
  const session = { session_id, purpose, is_phone: true }
  if (state === 'cancelled' || state === 'expired') return showEnd(state, session, words)
  const title = purpose === 'enroll' ? words.title_enroll : words.title_verify
  const ends = {
    onVerified: () => showEnd('verified', session, words),
    onCancelled: () => showEnd('cancelled', session, words),
  }
  showWidget(title, { session_id, transfer_code }, ends)
}

// Scanning another code in the same tab loads a fresh page.
addEventListener('hashchange', () => location.reload())
void start()
