/** Bundles the scripts for browsers. The result is checked in, so the service starts without a build. */
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export const VERIFY_SCRIPT_FILE = folder('./dist/verify.js')

export const PEOPLE_SCRIPT_FILE = folder('./dist/people.js')

export const CAPTURE_SCRIPT_FILE = folder('./dist/capture.js')

export const WIDGET_SCRIPT_FILE = folder('./dist/widget.js')

export const VERIFY_ME_SCRIPT_FILE = folder('./dist/verify-me.js')

/** The text of `dist/verify.js`, built from its sources. */
export function buildVerifyScript(): Promise<string> {
  return bundle('./verify/verify.ts', 'the verifier for browsers. Made from web/verify and protocol')
}

/** The text of `dist/people.js`, built from its sources. */
export function buildPeopleScript(): Promise<string> {
  return bundle(
    './people/people.ts',
    'the pages for people. Made from web/people and @simplewebauthn/browser (MIT License, Copyright (c) 2020 Matthew Miller)',
  )
}

/** The text of `dist/capture.js`, built from its sources. */
export function buildCaptureScript(): Promise<string> {
  return bundle(
    './capture/capture.ts',
    'recording for verification. Made from web/capture and @simplewebauthn/browser (MIT License, Copyright (c) 2020 Matthew Miller)',
  )
}

/** The text of `dist/widget.js`, built from its sources. */
export function buildWidgetScript(): Promise<string> {
  const what = 'the element deputy-verify. Made from web/widget and web/capture'
  // Pages of others load this one, so its size counts more than its names.
  return bundle('./widget/widget.ts', what, { minifyIdentifiers: true })
}

/** The text of `dist/verify-me.js`, built from its sources. */
export function buildVerifyMeScript(): Promise<string> {
  return bundle(
    './verify-me/verify-me.ts',
    'the hosted page of a verification. Made from web/verify-me and uqr (MIT License, Copyright (c) 2023 Anthony Fu; QR Code generator Copyright (c) Project Nayuki)',
  )
}

async function bundle(
  entry: string,
  what: string,
  options: Pick<BuildOptions, 'minifyIdentifiers'> = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [folder(entry)],
    absWorkingDir: folder('.'),
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    minifySyntax: true,
    minifyWhitespace: true,
    // Names are kept, so that the script can be audited.
    minifyIdentifiers: false,
    lineLimit: 120,
    legalComments: 'inline',
    ...options,
    banner: { js: `/* Deputy, ${what} by \`node web/build.ts\`. */` },
  })
  const [file] = outputFiles
  if (file === undefined) throw new Error('esbuild wrote nothing')
  return file.text
}

if (import.meta.main) {
  const { writeFileSync } = await import('node:fs')
  writeFileSync(VERIFY_SCRIPT_FILE, await buildVerifyScript())
  writeFileSync(PEOPLE_SCRIPT_FILE, await buildPeopleScript())
  writeFileSync(CAPTURE_SCRIPT_FILE, await buildCaptureScript())
  writeFileSync(WIDGET_SCRIPT_FILE, await buildWidgetScript())
  writeFileSync(VERIFY_ME_SCRIPT_FILE, await buildVerifyMeScript())
}
