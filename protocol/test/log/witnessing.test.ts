import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  aGrowingLog,
  aRandomSignatory,
  aRandomWitness,
  cosign,
  type GrowingLog,
  signText,
} from '@deputize/testing/log/a-growing-log.ts'
import fc from 'fast-check'
import {
  type AddCheckpoint,
  addCheckpointBody,
  checkpointText,
  EMPTY_ROOT,
  encodeBase64,
  judgeCheckpoint,
  KEY_TYPES,
  NoteError,
  openCosignature,
  readAddCheckpoint,
  readNote,
  readTreeSize,
  type SignedCheckpoint,
  signedNote,
  WitnessingError,
} from '../../src/index.ts'

const HASH = encodeBase64(new Uint8Array(32).fill(7))

describe('an add-checkpoint request', () => {
  test('parses back to the same request', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
    const request = fc.record({
      old_size: fc.maxSafeNat(),
      proof: fc.array(hash, { maxLength: 63 }),
      note: fc.string({ unit: 'grapheme' }),
    })
    fc.assert(
      fc.property(request, (written) => {
        const { old_size, proof, note } = readAddCheckpoint(addCheckpointBody(written))
        assert.deepEqual([old_size, note], [written.old_size, written.note])
        assert.deepEqual(proof.map(encodeBase64), written.proof.map(encodeBase64))
      }),
    )
  })

  test('matches the example in the specification', () => {
    const proof = [
      'PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=',
      'jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=',
    ]
    const body = `old 20852014\n${proof.join('\n')}\n\nexample.com/behind-the-sofa\n20852163\n`
    const request = readAddCheckpoint(body)
    assert.equal(request.old_size, 20_852_014)
    assert.deepEqual(request.proof.map(encodeBase64), proof)
    assert.equal(addCheckpointBody(request), body)
  })

  test('is refused in any other spelling', () => {
    const wrong = [
      '',
      'old 0\n',
      'old 0\nnote',
      '\n\nnote',
      'old \n\nnote',
      'old 00\n\nnote',
      'old 01\n\nnote',
      'old -1\n\nnote',
      'old +1\n\nnote',
      'old 1e3\n\nnote',
      'old 1 \n\nnote',
      'old  1\n\nnote',
      'Old 1\n\nnote',
      'old 1\r\n\nnote',
      ' old 1\n\nnote',
      'old 9007199254740992\n\nnote',
      'old 99999999999999999999\n\nnote',
      `old 1\n${HASH} \n\nnote`,
      `old 1\n${HASH.slice(0, -1)}\n\nnote`,
      `old 1\n${encodeBase64(new Uint8Array(31))}\n\nnote`,
      `old 1\n${encodeBase64(new Uint8Array(33))}\n\nnote`,
      `old 1\n${`${HASH}\n`.repeat(64)}\nnote`,
    ]
    for (const body of wrong) assert.throws(() => readAddCheckpoint(body), WitnessingError, body)
  })

  test('throws only a WitnessingError for any input', () => {
    const piece = fc.oneof(fc.constantFrom('old ', '1', '\n', '\n\n', HASH), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          readAddCheckpoint(pieces.join(''))
        } catch (error) {
          assert.ok(error instanceof WitnessingError)
        }
      }),
    )
  })
})

test('the size in a 409 has one spelling', () => {
  assert.equal(readTreeSize('0\n'), 0)
  assert.equal(readTreeSize('9007199254740991\n'), Number.MAX_SAFE_INTEGER)
  for (const body of ['', '\n', '5', '05\n', '-5\n', '5\n\n', ' 5\n', '5 \n', '9007199254740992\n', '5e1\n'])
    assert.equal(readTreeSize(body), undefined, body)
})

describe('a witness', () => {
  const log = aGrowingLog()

  async function request(of: GrowingLog, old_size: number, size: number): Promise<AddCheckpoint> {
    const proof = old_size <= size ? of.proof(old_size, size) : []
    return { old_size, proof, note: (await of.checkpoint(size)).note }
  }

  /** The response of a witness that last saw `seen`: the accepted size, or the refusal. */
  async function answer(seen: SignedCheckpoint | undefined, asked: AddCheckpoint, trusted = log.key) {
    const judgement = await judgeCheckpoint(seen, asked, trusted)
    if (judgement.verdict === 'accept') return { accepted: judgement.checkpoint.size }
    const { verdict: _, detail, ...rest } = judgement
    assert.match(detail, /^[A-Z].*\.$/)
    return rest
  }

  test('accepts all proven growth, from the empty tree on, and an unchanged checkpoint', async () => {
    for (let from = 0; from <= 9; from++)
      for (let to = from; to <= 9; to++) {
        const seen = from === 0 ? undefined : await log.checkpoint(from)
        assert.deepEqual(
          await answer(seen, await request(log, from, to)),
          { accepted: to },
          `${from} to ${to}`,
        )
      }
    assert.deepEqual(await answer(await log.checkpoint(0), await request(log, 0, 3)), { accepted: 3 })
  })

  test('cosigns the whole text, including unknown extension lines', async () => {
    const text = `${checkpointText(await log.checkpoint(4))}an extension\n`
    const note = await signText(log.signatory, text)
    const judgement = await judgeCheckpoint(undefined, { old_size: 0, proof: [], note }, log.key)
    assert.equal(judgement.verdict === 'accept' && judgement.text, text)
  })

  test('answers 404 for a log that it does not watch', async () => {
    const asked = await request(log, 0, 3)
    assert.deepEqual(await answer(undefined, asked, aGrowingLog('another.test/log').key), { status: 404 })
    const judgement = await judgeCheckpoint(undefined, asked, undefined)
    assert.equal(judgement.verdict === 'refuse' && judgement.status, 404)
  })

  test('answers 403 without a valid signature of the trusted key', async () => {
    const { note } = await log.checkpoint(3)
    const { text } = readNote(note)
    const namesake = aGrowingLog().signatory
    const cosigner = aRandomSignatory(log.key.name, KEY_TYPES.witness)
    const signature = note.slice(text.length + 1)
    const wrong = {
      'a key of the same name': await signText(namesake, text),
      'a witness of the same name': signedNote(text, [await cosign(cosigner, text, 1)]),
      'the signature of another size': signedNote(text, [
        (await log.checkpoint(2)).note.split('\n\n')[1] ?? '',
      ]),
      'a changed size': signedNote(text.replace('\n3\n', '\n4\n'), [signature]),
      'a good signature and a bad one': signedNote(text, [
        signature,
        (await log.checkpoint(2)).note.split('\n\n')[1] ?? '',
      ]),
    }
    for (const [name, forged] of Object.entries(wrong))
      assert.deepEqual(
        await answer(undefined, { old_size: 0, proof: [], note: forged }),
        { status: 403 },
        name,
      )
  })

  test('ignores and drops signatures of unknown keys', async () => {
    const { note } = await log.checkpoint(3)
    const { text } = readNote(note)
    const other = await cosign(aRandomWitness(), text, 1)
    for (const signatures of [other + note.slice(text.length + 1), note.slice(text.length + 1) + other]) {
      const asked = { old_size: 0, proof: [], note: signedNote(text, [signatures]) }
      const judgement = await judgeCheckpoint(undefined, asked, log.key)
      assert.equal(judgement.verdict === 'accept' && judgement.note, note)
    }
  })

  test('answers 400 to an invalid note or checkpoint, even if the log signed it', async () => {
    const { note } = await log.checkpoint(3)
    const origin = log.key.name
    const malformed = [
      `${origin}\n`,
      note.slice(0, -1),
      note.replace('—', '-'),
      note.replace('\n3\n', '\n3\r\n'),
      await signText(log.signatory, `${origin}\n03\n${HASH}\n`),
      await signText(log.signatory, `${origin}\n3\n${HASH.slice(1)}\n`),
      await signText(log.signatory, `${origin}\n3\n`),
      await signText(log.signatory, `${origin}\n3\n${HASH}\n\nmore\n`),
      await signText(log.signatory, `${origin}\n9007199254740992\n${HASH}\n`),
    ]
    for (const wrong of malformed)
      assert.deepEqual(
        await answer(undefined, { old_size: 0, proof: [], note: wrong }),
        { status: 400 },
        wrong,
      )
  })

  test('answers 400 when the old size is larger than the checkpoint', async () => {
    assert.deepEqual(await answer(undefined, await request(log, 4, 3)), { status: 400 })
    assert.deepEqual(await answer(await log.checkpoint(4), await request(log, 4, 3)), {
      status: 400,
      contradiction: 'rollback',
    })
  })

  test('answers 409 with its size when the old size is wrong', async () => {
    const seen = await log.checkpoint(5)
    assert.deepEqual(await answer(seen, await request(log, 0, 8)), { status: 409, size: 5 })
    assert.deepEqual(await answer(seen, await request(log, 6, 8)), { status: 409, size: 5 })
    assert.deepEqual(await answer(undefined, await request(log, 3, 8)), { status: 409, size: 0 })
    assert.deepEqual(await answer(seen, await request(log, 0, 5)), { status: 409, size: 5 })
  })

  test('answers 409 to a smaller checkpoint and reports a rollback', async () => {
    assert.deepEqual(await answer(await log.checkpoint(5), await request(log, 2, 4)), {
      status: 409,
      size: 5,
      contradiction: 'rollback',
    })
  })

  test('answers 422 to another root for the same size and reports a fork', async () => {
    const seen = await log.checkpoint(5)
    const fork = log.forkAt(3)
    assert.deepEqual(await answer(seen, await request(fork, 5, 5)), { status: 422, contradiction: 'fork' })
    // With a wrong old size, the response is 409 with the right one, and still reports the fork.
    assert.deepEqual(await answer(seen, await request(fork, 0, 5)), {
      status: 409,
      size: 5,
      contradiction: 'fork',
    })
  })

  test('answers 422 to unproven growth', async () => {
    const seen = await log.checkpoint(5)
    const unproven = { status: 422, contradiction: 'unproven' }
    const good = await request(log, 5, 8)
    const [first, ...rest] = good.proof
    assert.ok(first !== undefined && rest.length > 0)
    assert.deepEqual(await answer(seen, await request(log.forkAt(3), 5, 8)), unproven)
    for (const proof of [[], rest, [...good.proof, first], [...rest, first]])
      assert.deepEqual(await answer(seen, { ...good, proof }), unproven)
  })

  test('answers 422 to an unneeded proof, without reporting a contradiction', async () => {
    const needless = [new Uint8Array(32)]
    const first = { ...(await request(log, 0, 4)), proof: needless }
    assert.deepEqual(await answer(undefined, first), { status: 422 })
    const again = { ...(await request(log, 4, 4)), proof: needless }
    assert.deepEqual(await answer(await log.checkpoint(4), again), { status: 422 })
  })

  test('answers 422 to an empty tree with a non-empty root, after verifying the signature', async () => {
    const impossible = checkpointText({ origin: log.key.name, size: 0, root: new Uint8Array(32) })
    const asked = { old_size: 0, proof: [], note: await signText(log.signatory, impossible) }
    assert.deepEqual(await answer(undefined, asked), { status: 422, contradiction: 'fork' })
    const forged = { ...asked, note: await signText(aGrowingLog().signatory, impossible) }
    assert.deepEqual(await answer(undefined, forged), { status: 403 })
    const possible = checkpointText({ origin: log.key.name, size: 0, root: EMPTY_ROOT })
    const note = await signText(log.signatory, possible)
    assert.deepEqual(await answer(undefined, { ...asked, note }), { accepted: 0 })
  })
})

describe('the response of a witness', () => {
  const witness = aRandomWitness()
  const text = 'authority.test/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n'

  async function fault(body: string): Promise<string> {
    try {
      const { line, time_s } = await openCosignature(body, text, witness.key)
      return `${time_s} ${line}`
    } catch (error) {
      if (error instanceof NoteError) return error.fault
      throw error
    }
  }

  test('contains its cosignature among others', async () => {
    const line = await cosign(witness, text, 1_800_000_000)
    const other = await cosign(aRandomWitness('witness.test/w2'), text, 1_800_000_000)
    assert.equal(await fault(line), `1800000000 ${line}`)
    assert.equal(await fault(other + line), `1800000000 ${line}`)
    assert.equal(await fault(line + other), `1800000000 ${line}`)
  })

  test('is refused in any other form', async () => {
    const line = await cosign(witness, text, 1_800_000_000)
    const wrong: Readonly<Record<string, string>> = {
      '': 'malformed_note',
      garbage: 'malformed_note',
      [line.slice(0, -1)]: 'malformed_note',
      [`${line}\n`]: 'malformed_note',
      [`more text\n\n${line}`]: 'malformed_note',
      [`\n${line}`]: 'malformed_note',
      [`${line}\n${line}`]: 'malformed_note',
      [line.repeat(101)]: 'malformed_note',
      [await cosign(aRandomWitness(), text, 1)]: 'unsigned',
      [await cosign(witness, text.replace('0', '1'), 1)]: 'bad_signature',
      [await cosign(witness, text, 0)]: 'bad_signature',
      [line + (await cosign(witness, `${text}more\n`, 1))]: 'bad_signature',
    }
    for (const [body, expected] of Object.entries(wrong)) assert.equal(await fault(body), expected, body)
    // A cosignature of a text that starts with ours.
    const longer = `${text}\nmore text\n`
    assert.equal(await fault(`more text\n\n${await cosign(witness, longer, 1)}`), 'malformed_note')
  })
})
