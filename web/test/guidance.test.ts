import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { greyOf, hintFor, lightHint, placeHint, SAMPLE_HEIGHT, SAMPLE_WIDTH } from '../widget/guidance.ts'

/** A picture with one brightness inside a rectangle, and another around it. */
function picture(inside: number, around: number, [left, right] = [0.17, 0.83]): Uint8Array {
  return Uint8Array.from({ length: SAMPLE_WIDTH * SAMPLE_HEIGHT }, (_, at) => {
    const [x, y] = [(at % SAMPLE_WIDTH) / SAMPLE_WIDTH, Math.floor(at / SAMPLE_WIDTH) / SAMPLE_HEIGHT]
    return x >= left && x < right && y > 0.1 && y < 0.85 ? inside : around
  })
}

/** A person who fills these columns and moves, in front of a still wall. */
function moving(left: number, right: number): Uint8Array[] {
  return [110, 130].map((brightness) => picture(brightness, 90, [left, right]))
}

describe('hints before a recording', () => {
  test('say what is wrong with the light', () => {
    assert.equal(lightHint(picture(20, 20)), 'dark')
    assert.equal(lightHint(picture(240, 200)), 'bright')
    assert.equal(lightHint(picture(40, 230)), 'backlit')
    assert.equal(lightHint(picture(90, 200)), 'backlit')
    assert.equal(lightHint(picture(120, 110)), 'ready')
  })

  test('say where to move, from what moves', () => {
    assert.equal(placeHint(moving(0.25, 0.75)), 'ready')
    assert.equal(placeHint(moving(0.4, 0.55)), 'far')
    assert.equal(placeHint(moving(0, 1)), 'near')
    assert.equal(placeHint(moving(0.6, 1)), 'off_centre')
    assert.equal(placeHint(moving(0, 0.4)), 'off_centre')
  })

  test('are the same for dark and light skin', () => {
    for (const skin of [70, 100, 150, 190])
      assert.equal(
        hintFor([picture(skin - 12, 80, [0.25, 0.75]), picture(skin + 12, 80, [0.25, 0.75])]),
        'ready',
        String(skin),
      )
  })

  test('say nothing about the place if nothing moves or there is no picture', () => {
    assert.equal(placeHint([picture(120, 110), picture(120, 110)]), 'ready')
    assert.equal(hintFor([]), 'ready')
  })

  test('mention light first: in the dark, no motion is visible', () => {
    assert.equal(hintFor([picture(10, 10), picture(30, 10, [0.6, 1])]), 'dark')
  })

  test('weigh colours as eyes do', () => {
    const [red = 0, green = 0, blue = 0] = greyOf(
      Uint8ClampedArray.of(255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255),
    )
    assert.ok(green > red && red > blue)
  })
})
