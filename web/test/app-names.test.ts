import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import {
  agentNames,
  askForNamesWith,
  nameOfAgent,
  nameOfSubject,
  shortName,
} from '../app/words/agent-names.ts'

describe('the name of an agent', () => {
  let asked: string[] = []
  beforeEach(() => {
    asked = []
    askForNamesWith((word) => asked.push(word))
    agentNames.value = new Map([
      ['trip-bot', 'Trip planner'],
      ['plain', 'plain'],
      ['one', 'Calendar bot'],
      ['other', 'ＣＡＬＥＮＤＡＲ bot'],
      ['imitator', 'Plain'],
    ])
  })

  test('is the name that people gave it, with or without the prefix of its ID', () => {
    assert.deepEqual(
      ['agent:trip-bot', 'trip-bot', 'agent:plain'].map((id) => nameOfAgent(id)),
      ['Trip planner', 'Trip planner', 'plain'],
    )
    assert.equal(nameOfSubject('agent:trip-bot'), 'Trip planner')
    assert.match(nameOfSubject(`sha256:${'a'.repeat(64)}`), /^Person aaaa…/)
    assert.deepEqual(asked, [])
  })

  test('is its ID, or the name that came with the data, until it is known, and it is requested', () => {
    assert.deepEqual([nameOfAgent('agent:new'), nameOfAgent('agent:new', 'New bot')], ['new', 'New bot'])
    assert.deepEqual(asked, ['new', 'new'])
    assert.equal(nameOfAgent('agent:trip-bot', 'Old name'), 'Trip planner')
  })

  test('includes its ID if another agent has the same name, or has that name as its ID', () => {
    assert.deepEqual(
      ['one', 'other', 'imitator', 'plain'].map((id) => nameOfAgent(id)),
      ['Calendar bot (one)', 'ＣＡＬＥＮＤＡＲ bot (other)', 'Plain (imitator)', 'plain'],
    )
  })

  test('is shortened in the middle, so that two agents with the same long name stay distinguishable', () => {
    const name = 'Regional procurement and supplier onboarding assistant'
    assert.equal(shortName('Trip planner (trip-bot)'), 'Trip planner (trip-bot)')
    assert.equal(shortName(`${name} (one)`), 'Regional procurement and…assistant (one)')
    assert.notEqual(shortName(`${name} (one)`), shortName(`${name} (other)`))
  })
})
