import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  DEMO_BEGIN,
  DEMO_STEPS,
  type DemoProgress,
  demoWorld,
  HOTEL,
} from '../app/screens/first-run/demo-story.ts'
import { type SetUpFacts, setUpSteps } from '../app/screens/first-run/set-up-steps.ts'
import { guardConfiguration, keyedSnippet } from '../app/screens/first-run/snippets.ts'
import { formProblems, problemAt } from '../app/words/field-problems.ts'

const BEGIN = Date.UTC(2026, 10, 16)
const world = (progress: Partial<DemoProgress>) =>
  demoWorld({ ...DEMO_BEGIN, shown: DEMO_STEPS, ...progress }, BEGIN)
const REQUEST_STEP = Array.from({ length: DEMO_STEPS }, (_, index) => index + 1).findIndex(
  (shown) => world({ shown }).request !== undefined,
)

describe('the demo', () => {
  test('asks its visitor, and says what would be left', () => {
    const { request, isOver } = world({ shown: REQUEST_STEP + 1 })
    assert.equal(isOver, false)
    assert.equal(request?.agent_id, 'agent:hotel-buyer')
    assert.ok(Math.abs((request?.left_usd ?? 0) - 50.1) < 0.001)
  })

  for (const answer of ['approved', 'denied'] as const)
    test(`shows an action that is ${answer} as such, and exceeds no budget`, () => {
      const { tokens, records, lines, isOver } = world({ answer })
      assert.ok(isOver)
      const isBought = records.some(({ aar_id }) => aar_id.endsWith('buy hotels:rooms'))
      assert.equal(isBought, answer === 'approved')
      assert.ok(lines.some(({ outcome, note }) => outcome === answer && note === 'by you'))
      for (const { tightest } of tokens) assert.ok((tightest?.remaining_usd ?? 0) >= 0)
    })

  test('a stopped agent is denied from then on, and its request is withdrawn', () => {
    const { request, records, denials, tokens } = world({ stopped_after: REQUEST_STEP + 1 })
    assert.equal(request, undefined)
    assert.equal(tokens.find(({ jti }) => jti === HOTEL)?.status, 'revoked')
    assert.ok(denials.some(({ vat_jti, reason }) => vat_jti === HOTEL && reason === 'token revoked'))
    assert.ok(records.every(({ vat_jti, spend_usd }) => vat_jti !== HOTEL || spend_usd === 0))
  })
})

describe('the list of what is left to set up', () => {
  const nothing: SetUpFacts = {
    access: 'keyed',
    has_token: false,
    has_action: false,
    has_own_passkey: false,
    has_developer_key: false,
    has_auditor: false,
    has_provider: false,
    has_person_passkey: false,
    has_channel: false,
    has_witness: false,
    has_backup: false,
  }

  test('ticks what is done', () => {
    assert.ok(setUpSteps(nothing).every(({ isDone }) => !isDone))
    const done = setUpSteps({ ...nothing, has_token: true, has_witness: true }).filter(({ isDone }) => isDone)
    assert.deepEqual(
      done.map(({ id }) => id),
      ['has_token', 'has_witness'],
    )
  })

  test('leaves out what the caller cannot know and, in open mode, what needs keys', () => {
    const ids = (facts: SetUpFacts) => setUpSteps(facts).map(({ id }) => id)
    assert.ok(!ids({ ...nothing, has_witness: undefined }).includes('has_witness'))
    assert.deepEqual(ids({ ...nothing, access: 'open' }), [
      'has_token',
      'has_action',
      'has_channel',
      'has_witness',
      'has_backup',
    ])
  })
})

const APP = join(import.meta.dirname, '../app')
const GUIDES = join(import.meta.dirname, '../../docs/guides')

describe('what a reader pastes', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: APP }).map(
    (name) => [name, readFileSync(join(APP, name), 'utf8')] as const,
  )

  test("never lets npx download a stranger's package", () => {
    assert.ok(sources.length > 50)
    for (const [name, text] of sources) {
      assert.doesNotMatch(text, /npx (?!--no -- )[^\n]*\bdeputy\b/, name)
      assert.doesNotMatch(text, /"npx",\s*("-[^"]*",\s*)*"deputy"/, name)
    }
    const token = {
      developer_email: 'dev@example.com',
      agent_id: 'calendar-bot',
      resources: ['calendar:events'],
      actions: ['read'],
      max_spend_usd: undefined,
    }
    const commands = keyedSnippet('cli', 'http://127.0.0.1:8420', token).match(/^npx.*/gm) ?? []
    assert.equal(commands.length, 2)
    for (const command of commands) assert.match(command, /^npx --no -- deputy /)
  })

  test('starts the guard by its path, with the key of the agent in keyed mode', () => {
    const argsOf = (access: 'open' | 'keyed') => {
      const { command, args } = JSON.parse(guardConfiguration('http://x', access)).mcpServers.files
      assert.ok(command.startsWith('/'))
      assert.equal(args[0], 'mcp-guard')
      return args
    }
    assert.ok(!argsOf('open').includes('--agent-key-file'))
    assert.ok(argsOf('keyed').includes('--agent-key-file'))
  })

  test('is explained in guides that exist, under headings that they have', () => {
    const links = sources.flatMap(([, text]) => [...text.matchAll(/"\/guides\/([\w-]+)(?:#([\w-]+))?"/g)])
    assert.ok(links.length > 3)
    for (const [link, guide, anchor] of links) {
      const text = readFileSync(join(GUIDES, `${guide}.md`), 'utf8')
      const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
        title.toLowerCase().replaceAll(' ', '-'),
      )
      if (anchor !== undefined) assert.ok(anchors.includes(anchor), link)
    }
  })
})

describe('problems of a form', () => {
  const errors = [{ pointer: '/resources/0', detail: 'must be a resource' }]

  test('appear next to their field, and are shown for the whole form only if one has no field', () => {
    const placed = formProblems('Invalid', errors, ['/resources'])
    assert.equal(placed.text, undefined)
    assert.equal(problemAt(placed, '/resources'), 'Must be a resource.')
    assert.equal(problemAt(placed, '/resource'), undefined)
    assert.equal(formProblems('Invalid', errors, ['/actions']).text, 'Invalid')
    assert.equal(formProblems('Away', undefined, ['/actions']).text, 'Away')
  })
})
