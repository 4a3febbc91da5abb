/** Bundles the scripts for browsers. The result is checked in, so the service starts without a build. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BuildOptions, build } from 'esbuild'

const folder = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export const VERIFY_SCRIPT_FILE = folder('./dist/verify.js')

export const PEOPLE_SCRIPT_FILE = folder('./dist/people.js')

export const PUSH_WORKER_FILE = folder('./dist/push-worker.js')

export const SETUP_SCRIPT_FILE = folder('./dist/setup.js')

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

/** The text of `dist/push-worker.js`, built from its sources. */
export function buildPushWorker(): Promise<string> {
  return bundle('./worker/push-worker.ts', 'the service worker of the pages for people. Made from web/worker')
}

/** The text of `dist/setup.js`, built from its sources. */
export function buildSetupScript(): Promise<string> {
  return bundle('./setup/setup.ts', 'the page that sets up a deployment. Made from web/setup')
}

/** The text of `dist/widget.js`, built from its sources. */
export function buildWidgetScript(): Promise<string> {
  const what = 'the element deputy-verify. Made from web/widget and web/capture'
  // Third-party pages load this script, so its size matters more than its names and lines.
  return bundle('./widget/widget.ts', what, { minifyIdentifiers: true, lineLimit: 1000 })
}

/** The text of `dist/verify-me.js`, built from its sources. */
export function buildVerifyMeScript(): Promise<string> {
  return bundle(
    './verify-me/verify-me.ts',
    'the hosted page of a verification. Made from web/verify-me and uqr (MIT License, Copyright (c) 2023 Anthony Fu; QR Code generator Copyright (c) Project Nayuki)',
  )
}

export const APP_FOLDER = folder('./dist/app')

const APP_LICENSES = [
  'preact (MIT License, Copyright (c) 2015-present Jason Miller)',
  '@preact/signals (MIT License, Copyright (c) 2022-present Preact Team)',
  'd3-hierarchy (ISC License, Copyright 2010-2021 Mike Bostock)',
  '@dagrejs/dagre (MIT License, Copyright (c) 2012-2014 Chris Pettitt)',
  '@simplewebauthn/browser (MIT License, Copyright (c) 2020 Matthew Miller)',
  'd3-force, d3-dispatch, d3-quadtree and d3-timer (ISC License, Copyright 2010-2021 Mike Bostock)',
].join(', ')

/** The dashboard: name and bytes of every file in `dist/app`. Names of scripts and styles contain the hash of their content. */
export async function buildDashboard(): Promise<Map<string, string>> {
  const { outputFiles } = await build({
    entryPoints: { app: folder('./app/main.tsx') },
    absWorkingDir: folder('.'),
    outdir: APP_FOLDER,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    conditions: ['browser'],
    minify: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  })
  const files = new Map(outputFiles.map(({ path, text }) => [basename(path), noticed(basename(path), text)]))
  const names = [...files.keys()].sort()
  const index = {
    script: names.find((name) => ENTRY.test(name)),
    style: names.find((name) => name.endsWith('.css')),
    files: names,
  }
  return new Map([...names.map((name) => [name, files.get(name) ?? ''] as const), [APP_INDEX, json(index)]])
}

const APP_INDEX = 'index.json'
const ENTRY = /^app-\w+\.js$/

/** Only the entry script carries the licence notices for all parts, so that they are loaded once. */
function noticed(name: string, text: string): string {
  return ENTRY.test(name)
    ? `/* Deputy, the dashboard. Made from web/app, ${APP_LICENSES} by \`node web/build.ts\`. */\n${text}`
    : text
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

async function bundle(
  entry: string,
  what: string,
  options: Pick<BuildOptions, 'minifyIdentifiers' | 'lineLimit'> = {},
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
  const { mkdirSync, rmSync, writeFileSync } = await import('node:fs')
  writeFileSync(VERIFY_SCRIPT_FILE, await buildVerifyScript())
  writeFileSync(PEOPLE_SCRIPT_FILE, await buildPeopleScript())
  writeFileSync(PUSH_WORKER_FILE, await buildPushWorker())
  writeFileSync(SETUP_SCRIPT_FILE, await buildSetupScript())
  writeFileSync(WIDGET_SCRIPT_FILE, await buildWidgetScript())
  writeFileSync(VERIFY_ME_SCRIPT_FILE, await buildVerifyMeScript())
  const app = await buildDashboard()
  rmSync(APP_FOLDER, { recursive: true, force: true })
  mkdirSync(APP_FOLDER, { recursive: true })
  for (const [name, text] of app) writeFileSync(`${APP_FOLDER}/${name}`, text)
}
