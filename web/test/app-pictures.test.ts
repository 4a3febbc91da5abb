import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { GraphEdge, GraphNode, TokenView } from '../../sdk/node/src/generated/operations.ts'
import { combined, topmostHeld } from '../app/parts/blast-radius.ts'
import { executionGraph } from '../app/pictures/execution-graph.ts'
import { forestLayout } from '../app/pictures/forest.ts'
import { heatMap } from '../app/pictures/heat-map.ts'
import { lineLayout } from '../app/pictures/line.ts'
import { ratingDots, ratingWords } from '../app/pictures/rating-dots.ts'
import { niceTicks, pngScale } from '../app/pictures/scales.ts'
import { bucketStarts, stackedBars } from '../app/pictures/stacked-bars.ts'
import { sequence, TIMELINE, timeline } from '../app/pictures/timeline.ts'
import { tokenTree } from '../app/pictures/token-tree.ts'

describe('axes', () => {
  test('are round, begin at 0 and reach the highest value', () => {
    assert.deepEqual(niceTicks(70), [0, 20, 40, 60, 80])
    assert.deepEqual(niceTicks(0.3), [0, 0.1, 0.2, 0.3])
    for (const max of [1, 3, 7, 99, 101, 12345]) assert.ok((niceTicks(max).at(-1) ?? 0) >= max, String(max))
    assert.deepEqual(niceTicks(0), [0, 1])
    assert.deepEqual(niceTicks(Number.NaN), [0, 1])
  })

  test('no line of an axis of counts is between two whole numbers', () => {
    assert.deepEqual(niceTicks(1, 1), [0, 1])
    assert.deepEqual(niceTicks(2, 1), [0, 1, 2])
    assert.deepEqual(niceTicks(5, 1), [0, 2, 4, 6])
  })

  test('buckets without activity have a place too', () => {
    assert.deepEqual(bucketStarts(0, 180, 60), [0, 60, 120])
    assert.deepEqual(bucketStarts(100, 0, 60), [])
  })
})

test('a PNG is twice as large as on the screen, unless browsers could not draw it', () => {
  assert.equal(pngScale(800, 600), 2)
  for (const [width, height] of [
    [700, 144_000],
    [40_000, 300],
    [20_000, 20_000],
  ] as const) {
    const scale = pngScale(width, height)
    assert.ok(Math.max(width, height) * scale <= 32_768, `${width} x ${height}`)
    assert.ok(width * height * scale ** 2 <= 120_000_001, `${width} x ${height}`)
  }
})

describe('stacked bars', () => {
  const values = [
    [3, 1, 0],
    [0, 0, 0],
    [0, 2, 2],
  ]
  const layout = stackedBars({ starts: [0, 60, 120], values, width: 400, height: 200 })

  test('have a part for each value other than 0, stacked without gaps', () => {
    assert.deepEqual(
      layout.parts.map(({ bucket, series }) => [bucket, series]),
      [
        [0, 0],
        [0, 1],
        [2, 1],
        [2, 2],
      ],
    )
    const [lower, upper] = layout.parts
    assert.ok(lower !== undefined && upper !== undefined)
    assert.ok(Math.abs(upper.y + upper.height - lower.y) < 0.2)
    assert.ok(Math.abs(lower.height - 3 * upper.height) < 0.3)
  })

  test('stay inside the picture, even if there are 1,000', () => {
    const starts = Array.from({ length: 1000 }, (_, index) => index)
    const many = stackedBars({ starts, values: starts.map(() => [1]), width: 300, height: 100 })
    for (const { x, y, width, height } of many.parts)
      assert.ok(x >= 0 && x + width <= 301 && y >= 0 && y + height <= 100)
    assert.ok(many.x_ticks.length <= 5)
  })

  test('are labelled with round times of the clock, even if the first bar begins between them', () => {
    const quarter = new Date(2026, 10, 18, 13, 47).getTime()
    const starts = bucketStarts(quarter, quarter + 3_600_000, 60_000)
    const shown = stackedBars({ starts, values: starts.map(() => [1]), width: 500, height: 100 }).x_ticks
    assert.deepEqual(
      shown.map(({ start }) => new Date(start).getMinutes()),
      [0, 15, 30, 45],
    )
    const points = starts.map((x) => ({ x: x + 20_000, y: 1 }))
    assert.deepEqual(
      lineLayout({ points, width: 500, height: 100 }).x_ticks.map(({ at }) => at),
      shown.map(({ start }) => start),
    )
  })

  test("that represent days are labelled with their own beginning, whatever the reader's zone", () => {
    const starts = bucketStarts(Date.UTC(2026, 9, 19), Date.UTC(2026, 10, 18), 24 * 3_600_000)
    const shown = stackedBars({ starts, values: starts.map(() => [1]), width: 500, height: 100 }).x_ticks
    assert.ok(shown.length > 2)
    for (const { start } of shown) assert.ok(starts.includes(start))
  })
})

describe('lines', () => {
  test('go from the first to the last point', () => {
    const points = [0, 1, 2].map((x) => ({ x, y: x }))
    const { line, dots } = lineLayout({ points, width: 300, height: 100 })
    assert.match(line, /^M44,80L/)
    assert.equal(dots.length, 3)
  })

  test('are empty without points, and a single point is in the middle', () => {
    assert.equal(lineLayout({ points: [], width: 300, height: 100 }).line, '')
    const [dot] = lineLayout({ points: [{ x: 5, y: 1 }], width: 300, height: 100 }).dots
    assert.equal(dot?.x, 168)
  })

  test('have a band for the intervals of the values, even around a single point', () => {
    const interval = { low: 0.25, high: 0.75 }
    const points = [0, 1].map((x) => ({ x, y: 0.5, interval }))
    const { band, at } = lineLayout({ points, width: 300, height: 100, y_max: 1 })
    for (const point of [
      { x: 0, y: 0.75 },
      { x: 1, y: 0.25 },
    ]) {
      const { x, y } = at(point)
      assert.ok(band.includes(`${x},${y}`), band)
    }
    assert.match(lineLayout({ points: points.slice(1), width: 300, height: 100 }).band, /^M[\d.,]+H.*Z$/)
    assert.equal(lineLayout({ points: [{ x: 0, y: 1 }], width: 300, height: 100 }).band, '')
  })
})

test('ratings are placed between bad and good on their day, and described in words', () => {
  const ratings = { approved: 2, flagged: 0, rejected: 1 }
  const day = '2027-01-02'
  const none = { day: '2027-01-01', ratings: { approved: 0, flagged: 0, rejected: 0 } }
  assert.deepEqual(ratingDots([none, { day, ratings }]), [
    { x: Date.parse(day), y: 1, tone: 'done', words: '2 good' },
    { x: Date.parse(day), y: 0, tone: 'no', words: '1 bad' },
  ])
  assert.equal(ratingWords(ratings), '2 good, 1 bad')
  assert.equal(ratingWords(none.ratings), '')
  const points = [0, 1, 2].map((x) => ({ x, y: x / 2 }))
  const { at, dots } = lineLayout({ points, width: 300, height: 100, y_max: 1 })
  assert.deepEqual(at({ x: 2, y: 1 }), dots[2])
})

describe('the heat map', () => {
  test('puts the most used actions and resources first', () => {
    const map = heatMap([
      { action: 'read', resource: 'a:x', count: 1, denied: 0 },
      { action: 'buy', resource: 'b:y', count: 2, denied: 14 },
    ])
    assert.deepEqual(map.actions, ['buy', 'read'])
    assert.deepEqual(
      map.cells.map(({ strength }) => strength),
      [0.25, 1],
    )
  })
})

describe('the token tree', () => {
  const tokens = [
    { jti: 'root' },
    { jti: 'a', parent_jti: 'root' },
    { jti: 'b', parent_jti: 'root' },
    { jti: 'c', parent_jti: 'a' },
  ]

  test('has children to the right of their parents, and no two tokens in one place', () => {
    const { nodes, links } = tokenTree(tokens)
    const at = new Map(nodes.map((node) => [node.token.jti, node]))
    assert.equal(at.get('root')?.x, 0)
    assert.ok((at.get('c')?.x ?? 0) > (at.get('a')?.x ?? 0))
    assert.equal(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size, tokens.length)
    assert.deepEqual(links.map(({ key }) => key).sort(), ['a', 'b', 'c'])
  })

  test('shows a token without its parent as a root, and is empty without tokens', () => {
    assert.equal(tokenTree([{ jti: 'x', parent_jti: 'elsewhere' }]).nodes[0]?.depth, 0)
    assert.deepEqual(tokenTree([]).nodes, [])
  })

  test('places 2,000 tokens', () => {
    const many = Array.from({ length: 2000 }, (_, index) => ({
      jti: String(index),
      ...(index > 0 && { parent_jti: String(Math.floor((index - 1) / 3)) }),
    }))
    assert.equal(tokenTree(many).nodes.length, 2000)
  })
})

describe('the timeline', () => {
  test('has a lane for each agent in the order of their first actions; open actions last until now', () => {
    const at = (second: number) => new Date(second * 1000).toISOString()
    const layout = timeline(
      [
        { aar_id: '2', agent_id: 'b', created_at: at(10), state: 'pending' },
        { aar_id: '1', agent_id: 'a', created_at: at(0), completed_at: at(5), state: 'completed' },
      ],
      500,
      20_000,
    )
    assert.deepEqual(
      layout.lanes.map(({ agent_id }) => agent_id),
      ['a', 'b'],
    )
    const [done, open] = layout.bars
    assert.ok((open?.width ?? 0) > (done?.width ?? 0))
    assert.ok((open?.x ?? 0) + (open?.width ?? 0) <= 500)
  })

  const crowd = Array.from({ length: 10_000 }, (_, index) => ({
    aar_id: String(index),
    agent_id: index % 3 === 0 ? 'a' : 'b',
    created_at: new Date(index * 1000).toISOString(),
    completed_at: new Date(index * 1000 + 400).toISOString(),
    state: 'completed',
  }))

  test('draws actions that would overlap as one bar, and loses none', () => {
    const { bars } = timeline(crowd, 800, 0)
    assert.ok(bars.length < 400, String(bars.length))
    assert.equal(
      bars.reduce((sum, { records }) => sum + records.length, 0),
      crowd.length,
    )
    for (const { y, records } of bars)
      assert.ok(records.every(({ agent_id }) => (agent_id === 'a') === y < TIMELINE.lane))
  })

  test('expanded, has a place for every action, in chronological order', () => {
    const { bars, width } = sequence(crowd, 800, 0)
    assert.equal(bars.length, crowd.length)
    assert.ok(bars.every(({ x }, index) => index === 0 || x > (bars[index - 1]?.x ?? 0)))
    assert.ok((bars.at(-1)?.x ?? 0) < width)
  })
})

describe('a forest of many boxes', () => {
  const SIZE = { box: { width: 100, height: 40 }, gap: { x: 20, y: 10 }, padding: 5 }

  test('places each box once, inside the picture and apart from all others, whatever the arrows are', () => {
    const arrow = fc.tuple(fc.nat(30), fc.nat(30)).map(([from, to]) => ({ from: `b${from}`, to: `b${to}` }))
    fc.assert(
      fc.property(fc.array(arrow, { maxLength: 60 }), (arrows) => {
        const ids = Array.from({ length: 31 }, (_, index) => `b${index}`)
        const { middles, width, height } = forestLayout({ ids, arrows }, SIZE)
        assert.equal(middles.size, ids.length)
        const places = new Set([...middles.values()].map(({ x, y }) => `${x} ${y}`))
        assert.equal(places.size, ids.length, 'no two at one place')
        for (const { x, y } of middles.values()) assert.ok(x > 0 && x < width && y > 0 && y < height)
      }),
    )
  })

  test('places a chain of 10,000 in a row', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `b${index}`)
    const arrows = ids.slice(1).map((to, index) => ({ from: ids[index] ?? '', to }))
    const { middles, height } = forestLayout({ ids, arrows }, SIZE)
    assert.equal(new Set([...middles.values()].map(({ y }) => y)).size, 1)
    assert.equal(height, SIZE.box.height + 2 * SIZE.padding)
  })
})

describe('the execution graph', () => {
  const action = (id: string, name: string): GraphNode => ({
    id,
    type: 'action',
    aar_id: id,
    action: name,
    resource: 'web:pages',
    state: 'completed',
    result: 'success',
    spend_usd: 1,
    trust_score: 1,
    created_at: '2026-11-16T12:00:00Z',
  })
  const token = (jti: string, agent_id: string): GraphNode => ({
    id: jti,
    type: 'token',
    jti,
    agent_id,
    delegation_depth: 0,
    scope: { resources: [], actions: [] },
    issued_at: '',
    expires_at: '',
    status: 'live',
  })
  const nodes: GraphNode[] = [
    { id: 'person', type: 'human', human_ref: 'person', assurance_level: 'L1' },
    { id: 'agent:a', type: 'agent', agent_id: 'agent:a' },
    { id: 'agent:b', type: 'agent', agent_id: 'agent:b' },
    token('t1', 'agent:a'),
    token('t2', 'agent:b'),
    action('x1', 'read'),
    action('x2', 'read'),
    action('x3', 'write'),
  ]
  const edges: GraphEdge[] = [
    { type: 'delegated', from: 'person', to: 't1' },
    { type: 'delegated', from: 't1', to: 'agent:a' },
    { type: 'delegated', from: 't1', to: 't2' },
    { type: 'delegated', from: 't2', to: 'agent:b' },
    { type: 'performed', from: 'agent:b', to: 'x1', token: 't2' },
    { type: 'performed', from: 'agent:b', to: 'x2', token: 't2' },
    { type: 'performed', from: 'agent:a', to: 'x3', token: 't1' },
    { type: 'caused', from: 'x2', to: 'x3' },
  ]

  test('connects people and agents directly, and merges identical actions of an agent into one box', () => {
    const { boxes, arrows } = executionGraph({ nodes, edges }, true)
    assert.deepEqual(
      boxes.map(({ title }) => title),
      ['Person', 'a', 'b', 'read web:pages', 'write web:pages'],
    )
    assert.deepEqual(boxes[3]?.aar_ids, ['x1', 'x2'])
    assert.match(boxes[3]?.note ?? '', /^b · 2×/)
    const pairs = arrows.map(({ from, to, times }) => [from.split(' ')[0], to.split(' ')[0], times])
    assert.deepEqual(pairs, [
      ['person', 'agent:a', 1],
      ['agent:a', 'agent:b', 1],
      ['agent:b', 'agent:b', 2],
      ['agent:b', 'agent:a', 1],
    ])
  })

  test('shows each record when it is expanded', () => {
    const { boxes } = executionGraph({ nodes, edges }, false)
    assert.equal(boxes.filter(({ kind }) => kind === 'action').length, 3)
  })
})

describe('the blast radius', () => {
  test('counts a branch once if an agent holds several tokens of it', () => {
    // Only the ID matters here.
    const tokens = ['a', 'b', 'c'].map((jti) => ({ jti }) as TokenView)
    const ancestors = new Map([
      ['b', ['x', 'a']],
      ['c', ['y']],
    ])
    assert.deepEqual(
      topmostHeld(tokens, ancestors).map(({ jti }) => jti),
      ['a', 'c'],
    )
  })

  test('adds up branches and names each agent once', () => {
    const one = {
      jti: 'a',
      already_revoked: false,
      live_tokens: 2,
      agents: ['agent:b', 'agent:a'],
      pending_records: 1,
      reserved_usd: 4,
    }
    assert.deepEqual(combined([one, { ...one, agents: ['agent:b'] }]), {
      live_tokens: 4,
      agents: ['agent:a', 'agent:b'],
      pending_records: 2,
      reserved_usd: 8,
    })
  })
})
