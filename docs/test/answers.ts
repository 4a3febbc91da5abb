import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { runScript } from '@deputize/testing/page-script.ts'

const BLOCK = /^```(bash|json)\n([\s\S]*?)^```$/gm
const END_OF_BLOCK = '\u001e'
/** Stands for members that the page leaves out. */
const MORE = '…'

interface Example {
  readonly script: string
  /** The answer that the page shows below the block, if any. */
  readonly shown: string | undefined
}

/** Runs the bash blocks of a page in one shell and compares each answer with the JSON block below it. */
export async function assertAnswers(page: URL, base_url: string, cwd: string): Promise<number> {
  const examples = examplesOf(readFileSync(page, 'utf8'))
  const script = examples.map((example) => `${example.script}printf '${END_OF_BLOCK}'`).join('\n')
  const { code, output } = await runScript(script.replaceAll('http://127.0.0.1:8420', base_url), cwd)
  assert.equal(code, 0, output)
  const printed = output.split(END_OF_BLOCK)
  const compared = examples.flatMap(({ shown }, at) => (shown === undefined ? [] : [{ shown, at }]))
  for (const { shown, at } of compared) assertFits(readShown(shown), JSON.parse(printed[at] ?? ''), '$')
  return compared.length
}

function examplesOf(page: string): Example[] {
  const blocks = [...page.matchAll(BLOCK)].map(([, language, text = '']) => ({ language, text }))
  return blocks.flatMap(({ language, text }, at) => {
    const next = blocks[at + 1]
    return language === 'bash'
      ? [{ script: text, shown: next?.language === 'json' ? next.text : undefined }]
      : []
  })
}

/** `…` at the end of an object becomes a member of that name. */
function readShown(text: string): unknown {
  return JSON.parse(text.replaceAll(/…(?=\s*\})/g, `"${MORE}": true`))
}

/** Texts that end with `…` match by their beginning, and objects that end with it may have more members. */
function assertFits(shown: unknown, actual: unknown, path: string): void {
  if (typeof shown === 'string' && shown.endsWith(MORE)) {
    assert.ok(typeof actual === 'string' && actual.startsWith(shown.slice(0, -1)), `${path}: ${actual}`)
  } else if (isObject(shown) && isObject(actual)) {
    const { [MORE]: isShortened, ...members } = shown
    for (const [name, value] of Object.entries(members)) assertFits(value, actual[name], `${path}.${name}`)
    if (!isShortened) assert.deepEqual(Object.keys(actual).sort(), Object.keys(members).sort(), path)
  } else assert.deepEqual(actual, shown, path)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
