/** Lets a phone put a person's page on its home screen. */
import { readFileSync } from 'node:fs'

export const APP_MANIFEST: string = JSON.stringify({
  name: 'Deputy',
  short_name: 'Deputy',
  description: 'See the agents that act for you, and answer their requests.',
  id: '/me',
  start_url: '/me',
  scope: '/',
  display: 'standalone',
  background_color: '#fbfaf7',
  theme_color: '#0b5d4e',
  icons: [
    { src: '/icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
  ],
})

/** A tick in a shield. */
export const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0b5d4e"/><path d="M32 12 50 18v14c0 11-8 18-18 21-10-3-18-10-18-21V18z" fill="#fbfaf7"/><path d="m23 32 7 7 12-13" fill="none" stroke="#0b5d4e" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"/></svg>'

/** The same icon as pixels, rendered by a browser. Phones that can't read SVG need these two sizes. */
export const ICON_PNGS: readonly { readonly path: string; readonly bytes: Buffer }[] = [
  {
    path: '/icon-192.png',
    bytes: readFileSync(new URL('../../../../web/dist/icon-192.png', import.meta.url)),
  },
  {
    path: '/icon-512.png',
    bytes: readFileSync(new URL('../../../../web/dist/icon-512.png', import.meta.url)),
  },
]

/** Goes into the head of a person's pages. */
export const INSTALLABLE =
  '<link rel="manifest" href="/manifest.webmanifest"><link rel="icon" href="/icon.svg"><link rel="apple-touch-icon" href="/icon-192.png">'
