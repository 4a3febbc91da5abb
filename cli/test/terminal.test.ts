import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { deletedFacts } from '../src/commands/keys.ts'
import { harmless, type Screen, screenOf } from '../src/terminal/screen.ts'
import { table } from '../src/terminal/table.ts'
import { tree } from '../src/terminal/tree.ts'
import { dollars } from '../src/terminal/words.ts'

function aScreen(env: Record<string, string> = {}): Screen {
  return { ...screenOf(process.stdout, env), width: 80, paint: (_, text) => text }
}

describe('terminal output', () => {
  test('a table fits the screen, and IDs are never shortened', () => {
    const row = { id: 'i'.repeat(40), one: 'a'.repeat(60), other: 'b'.repeat(5) }
    const [titles = '', line = ''] = table(
      [
        { title: 'id', cell: ({ id }) => id, whole: true },
        { title: 'one', cell: ({ one }) => one },
        { title: 'other', cell: ({ other }) => other },
      ],
      [row],
      aScreen(),
    ).split('\n')
    assert.equal(line, `${row.id}  ${'a'.repeat(30)}~  bbbbb`)
    assert.equal(line.length, 80)
    assert.equal(titles.indexOf('other'), line.indexOf('bbbbb'))
  })

  test('a tree uses box characters only if the locale supports them', () => {
    const branch = {
      lines: ['a'],
      below: [
        { lines: ['b', 'more'], below: [] },
        { lines: ['c'], below: [] },
      ],
    }
    assert.equal(tree(branch, aScreen({ LANG: 'de_DE.UTF-8' })), 'a\n├─ b\n│     more\n└─ c\n')
    assert.equal(tree(branch, aScreen({ LANG: 'C' })), 'a\n|- b\n|     more\n`- c\n')
    assert.equal(tree(branch, aScreen({ LC_ALL: 'C', LANG: 'de_DE.UTF-8' })).includes('├'), false)
  })

  test('untrusted text cannot move the cursor or change the writing direction', () => {
    assert.equal(harmless('a\u001b[2Jb\r\nc\u202ed\u009be'), 'a?[2Jb??c?d?e')
    assert.equal(harmless('Zoë 東京'), 'Zoë 東京')
    assert.equal(harmless('👩‍🚀 a\u200db'), '👩‍🚀 a?b')
  })

  test('small amounts keep their decimals', () => {
    assert.deepEqual([0, 1.5, 0.000001, 12.345].map(dollars), ['$0.00', '$1.50', '$0.000001', '$12.345'])
  })
})

describe('a deleted key', () => {
  test('lists what it leaves behind, and what to do about it', () => {
    const deleted = { key_id: 'A1b2C3d4', disabled_webhooks: [], kept_streams: [] }
    assert.equal(deletedFacts(deleted), 'A1b2C3d4\ndeleted\n')
    assert.equal(
      deletedFacts({ ...deleted, disabled_webhooks: ['whk_1', 'whk_2'], kept_streams: ['str_1'] }),
      [
        'A1b2C3d4',
        'deleted',
        '',
        'Webhooks that it created or turned to another address are disabled:',
        '  whk_1',
        '  whk_2',
        'Check their addresses. To resume one where it stopped: deputy webhooks enable WEBHOOK_ID',
        '',
        'Streams of signals that it created are still pushed:',
        '  str_1',
        'To delete one that you do not recognize: deputy streams delete STREAM_ID',
        '',
      ].join('\n'),
    )
  })
})
