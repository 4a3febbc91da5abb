import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isWithinHours } from '../../src/domain/times/active-hours.ts'

const berlin = { time_zone: 'Europe/Berlin', from: '09:00', to: '17:30' }
const at = (text: string) => Date.parse(text)

describe('active hours', () => {
  test('follow the clock of their time zone, in summer and in winter', () => {
    assert.equal(isWithinHours(berlin, at('2027-01-11T07:59:59Z')), false)
    assert.equal(isWithinHours(berlin, at('2027-01-11T08:00:00Z')), true)
    assert.equal(isWithinHours(berlin, at('2027-01-11T16:29:59Z')), true)
    assert.equal(isWithinHours(berlin, at('2027-01-11T16:30:00Z')), false)
    assert.equal(isWithinHours(berlin, at('2027-07-12T07:00:00Z')), true)
    assert.equal(isWithinHours(berlin, at('2027-07-12T06:59:59Z')), false)
  })

  test('apply on the named days only', () => {
    const weekdays = { ...berlin, days: ['mon' as const, 'fri' as const] }
    assert.equal(isWithinHours(weekdays, at('2027-01-11T12:00:00Z')), true)
    assert.equal(isWithinHours(weekdays, at('2027-01-12T12:00:00Z')), false)
  })

  test('may cross midnight, and then belong to the day on which they start', () => {
    const night = { time_zone: 'UTC', days: ['fri' as const], from: '22:00', to: '06:00' }
    assert.equal(isWithinHours(night, at('2027-01-15T23:00:00Z')), true)
    assert.equal(isWithinHours(night, at('2027-01-16T05:59:00Z')), true)
    assert.equal(isWithinHours(night, at('2027-01-16T06:00:00Z')), false)
    assert.equal(isWithinHours(night, at('2027-01-15T05:00:00Z')), false)
  })

  test('may end at midnight', () => {
    const evening = { time_zone: 'UTC', from: '18:00', to: '24:00' }
    assert.equal(isWithinHours(evening, at('2027-01-15T23:59:59Z')), true)
    assert.equal(isWithinHours(evening, at('2027-01-16T00:00:00Z')), false)
  })
})
