/** The service worker: shows a push message, and opens its page when it is clicked. It stores and fetches nothing. */

/** The parts of a worker that are used here; the types of pages and workers don't go together. */
interface PushScope {
  addEventListener(type: 'push', listener: (event: PushEvent) => void): void
  addEventListener(type: 'notificationclick', listener: (event: NotificationEvent) => void): void
  readonly registration: ServiceWorkerRegistration
  readonly clients: {
    matchAll(options: { type: 'window' }): Promise<readonly WorkerWindow[]>
    openWindow(path: string): Promise<unknown>
  }
  readonly location: Location
}
interface WaitingEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface PushEvent extends WaitingEvent {
  readonly data: { json(): unknown } | null
}
interface NotificationEvent extends WaitingEvent {
  readonly notification: Notification
}
interface WorkerWindow {
  readonly url: string
  focus(): Promise<unknown>
}

const worker = globalThis as unknown as PushScope // this file runs as a service worker only

worker.addEventListener('push', (event) => {
  if (event.data === null) return
  // Sent by the service and encrypted for this browser.
  const { title, body, path, tag } = event.data.json() as Readonly<Record<string, string>>
  event.waitUntil(
    worker.registration.showNotification(String(title), {
      body: String(body),
      tag: String(tag),
      icon: '/icon.svg',
      data: { path: String(path) },
    }),
  )
})

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(String(event.notification.data?.path ?? '/me')))
})

/** Opens a page of this service only, in a window that already shows it if there is one. */
async function open(path: string): Promise<void> {
  const url = new URL(path, worker.location.origin)
  if (url.origin !== worker.location.origin) return
  const windows = await worker.clients.matchAll({ type: 'window' })
  const shown = windows.find((one) => one.url === url.href)
  await (shown === undefined ? worker.clients.openWindow(url.href) : shown.focus())
}
