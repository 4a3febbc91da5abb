/** Desktop notices: an approval request, or an agent that is denied repeatedly. */
import { signal } from '@preact/signals'
import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { navigate, shownAddress } from '../router.ts'
import { noticeOf } from '../words/notice.ts'
import { namesAreRead } from './agent-names.ts'

/** `blocked`: the person doesn't let the browser show any. `none`: the browser can't. */
export type NoticeState = 'on' | 'off' | 'blocked' | 'none'

const KEPT = 'deputy-notices'

export const noticeState = signal<NoticeState>(firstState())

function firstState(): NoticeState {
  if (!('Notification' in window)) return 'none'
  return localStorage.getItem(KEPT) === 'on' ? 'on' : 'off'
}

/** Turns notices off, or on after asking the person. Returns the message to show. */
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

/** Shows notices for new events that need a person. `recent` is the feed, newest first, including the new events. */
export async function notify(news: readonly DeputyEvent[], recent: readonly DeputyEvent[]): Promise<void> {
  if (noticeState.value !== 'on') return
  const calling = news.filter((event) => noticeOf(event, recent) !== undefined)
  // `noticeOf` has requested the names of the agents.
  await namesAreRead()
  for (const event of calling) {
    const notice = noticeOf(event, recent)
    if (notice === undefined || isSeen(notice.href)) continue
    show(notice)
  }
}

/** A person who is looking at the place needs no notice. */
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
    // Phone browsers show only notices of service workers.
    noticeState.value = 'none'
  }
}
