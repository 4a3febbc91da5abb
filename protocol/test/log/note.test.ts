import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readVector } from '@deputize/testing/read-vector.ts'
import { believeCheckpoint } from '../../src/log/believe-checkpoint.ts'
import { CheckpointError, openCheckpoint } from '../../src/log/checkpoint.ts'
import { LogFault } from '../../src/log/faults.ts'
import { NoteError, readNote, readVkey, signersOf, vkeyOf } from '../../src/log/note.ts'

type Notes = {
  log_vkey: string
  witness_vkeys: string[]
  cases: { id: string; name: string; expect: string; note: string }[]
}

const NOTES = readVector<Notes>('signed-note/signed-note-checkpoints.json')
const LOG = readVkey(NOTES.log_vkey)
const WITNESSES = NOTES.witness_vkeys.map(readVkey)

/**
 * Our choices where the specification allows either: extension lines are accepted, a cosignature at time 0 is refused.
 */
const OUR_CHOICES: Readonly<Record<string, string>> = { N28: 'accept', N29: 'reject' }

/** The only note that is not a checkpoint. */
const PLAIN_NOTE = {
  id: 'N01',
  vkey: 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k',
}

function noteOf(id: string): string {
  return NOTES.cases.find((one) => one.id === id)?.note ?? ''
}

function isRefusal(error: unknown): boolean {
  return error instanceof NoteError || error instanceof CheckpointError
}

describe('the signed notes of the vectors', () => {
  test('are 30', () => assert.equal(NOTES.cases.length, 30))

  for (const { id, name, expect, note } of NOTES.cases.filter((one) => one.id !== PLAIN_NOTE.id)) {
    const wanted = OUR_CHOICES[id] ?? expect
    test(`${id}, ${name}: ${wanted}`, async () => {
      const opened = () => openCheckpoint(note, LOG, WITNESSES)
      const believed = () => believeCheckpoint(note, { log: LOG, witnesses: WITNESSES, quorum: 0 })
      if (wanted === 'reject') {
        await assert.rejects(opened, isRefusal)
        await assert.rejects(believed, LogFault)
      } else {
        assert.equal((await opened()).note, note)
        assert.equal((await believed()).origin, 'authority.test/log')
      }
    })
  }

  test('N01, the example of the specification: accept', async () => {
    const key = readVkey(PLAIN_NOTE.vkey)
    const note = readNote(noteOf('N01'))
    assert.deepEqual(await signersOf(note, [key]), [{ key, time_s: undefined }])
    assert.equal(vkeyOf(key), PLAIN_NOTE.vkey)
  })

  test('name the witnesses that signed, with their times', async () => {
    const { witnesses } = await openCheckpoint(noteOf('N03'), LOG, WITNESSES)
    assert.deepEqual(
      witnesses.map(({ key, time_s }) => [key.name, time_s]),
      [
        ['witness.test/w1', 1_900_000_000],
        ['witness.test/w2', 1_900_000_001],
      ],
    )
  })
})
