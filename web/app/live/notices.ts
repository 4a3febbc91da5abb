/** Notices of the desktop: an approval request, or an agent that is denied again and again. */
import { signal } from '@preact/signals'
import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { navigate, shownAddress } from '../router.ts'
import { noticeOf } from '../words/notice.ts'
import { namesAreRead } from './agent-names.ts'

/** `blocked`: the person has told the browser not to show any. `none`: it cannot. */
export type NoticeState = 'on' | 'off' | 'blocked' | 'none'

const KEPT = 'deputy-notices'

export const noticeState = signal<NoticeState>(firstState())

function firstState(): NoticeState {
  if (!('Notification' in window)) return 'none'
  return localStorage.getItem(KEPT) === 'on' ? 'on' : 'off'
}

/** Turns notices on, after asking the person, or off. Returns what to say about it. */
export async function toggleNotices(): Promise<string> {
  if (noticeState.value === 'on') return turn('off', 'Notices are off.')
  const answer = await Notification.requestPermission()
  if (answer === 'granted') return turn('on', 'Notices are on: for approval requests and repeated denials.')
  if (answer === 'denied')
    return turn('blocked', 'Your browser blocks notices of this page. Allow them in its settings.')
  return 'Notices stay off.'
}

function turn(state: NoticeState, words: string): string {
  noticeState.value = state
  localStorage.setItem(KEPT, state)
  return words
}

/** Shows what calls for a person among new events. `recent` are those of the feed, newest first, with the new ones. */
export async function notify(news: readonly DeputyEvent[], recent: readonly DeputyEvent[]): Promise<void> {
  if (noticeState.value !== 'on') return
  const calling = news.filter((event) => noticeOf(event, recent) !== undefined)
  // Their words ask for the names of agents.
  await namesAreRead()
  for (const event of calling) {
    const notice = noticeOf(event, recent)
    if (notice === undefined || isSeen(notice.href)) continue
    show(notice)
  }
}

/** Somebody who looks at the place needs no notice. */
function isSeen(href: string): boolean {
  return document.hasFocus() && href.startsWith(shownAddress.value.path) && shownAddress.value.path !== '/app'
}

function show({ title, body, href, tag }: NonNullable<ReturnType<typeof noticeOf>>): void {
  try {
    // The same tag in another tab of this browser is the same notice.
    const notice = new Notification(title, { body, tag, icon: '/icon-192.png' })
    notice.onclick = () => {
      focus()
      navigate(href)
      notice.close()
    }
  } catch {
    // Browsers of phones show notices of service workers only.
    noticeState.value = 'none'
  }
}
