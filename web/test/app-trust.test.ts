import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MOST_DRAWN_NODES, trustLayout, trustPicture, vouchWidth } from '../app/pictures/trust-graph.ts'

const edge = (from: string, to: string, weight = 0.5) => ({ vouch_id: `${from}>${to}`, from, to, weight })
const step = (from: string, to: string) => ({ from, vouch_id: `${from}>${to}`, capacity: 1 })

describe('the trust graph', () => {
  const graph = {
    around: 'agent:a',
    nodes: [
      { subject: 'agent:a', steps: 0 },
      { subject: 'p', steps: 1 },
      { subject: 'q', steps: 2, base: 0.7 },
      { subject: 'r', steps: 1 },
    ],
    edges: [edge('q', 'p'), edge('p', 'agent:a'), edge('r', 'agent:a'), edge('q', 'agent:a', 0.2)],
  }
  const explanation = {
    paths: [
      { flow: 0.3, steps: [step('q', 'p'), step('p', 'agent:a')] },
      { flow: 0.1, steps: [step('q', 'agent:a')] },
    ],
    cut: [
      { limit: 'base' as const, human_ref: 'q', capacity: 0.3 },
      { limit: 'vouch' as const, vouch_id: 'q>agent:a', capacity: 0.1 },
    ],
  }

  test('marks what carries the score and what limits it, and draws it last', () => {
    const { dots, links } = trustPicture(graph, explanation)
    assert.deepEqual(
      links.map(({ vouch_id, carries, isLimit }) => [vouch_id, carries, isLimit]),
      [
        ['r>agent:a', 0, false],
        ['q>p', 0.3, false],
        ['p>agent:a', 0.3, false],
        ['q>agent:a', 0.1, true],
      ],
    )
    const marked = (name: 'isOnPath' | 'isLimit') => dots.filter((dot) => dot[name]).map((dot) => dot.subject)
    assert.deepEqual(marked('isOnPath').sort(), ['agent:a', 'p', 'q'])
    assert.deepEqual(marked('isLimit'), ['q'])
  })

  test('draws 150 of 400: those that carry the score, then the nearest, and no line without both ends', () => {
    const others = Array.from({ length: 400 }, (_, index) => ({ subject: `x${index}`, steps: 1 }))
    const { dots, links, hidden } = trustPicture(
      {
        ...graph,
        nodes: [...others, ...graph.nodes],
        edges: [...graph.edges, ...others.map(({ subject }) => edge(subject, 'agent:a'))],
      },
      explanation,
    )
    assert.equal(dots.length, MOST_DRAWN_NODES)
    assert.equal(hidden, 254)
    const known = new Set(dots.map(({ subject }) => subject))
    for (const subject of ['agent:a', 'p', 'q']) assert.ok(known.has(subject), subject)
    assert.ok(links.every(({ from, to }) => known.has(from) && known.has(to)))
  })

  test('comes to rest inside the picture, always in the same places, with no two dots on top of each other', () => {
    const others = Array.from({ length: 120 }, (_, index) => ({
      subject: `x${index}`,
      steps: 1 + (index % 2),
    }))
    const picture = trustPicture(
      {
        ...graph,
        nodes: [...graph.nodes, ...others],
        edges: [...graph.edges, ...others.map(({ subject }) => edge(subject, 'p'))],
      },
      explanation,
    )
    const at = trustLayout(picture, 800, 600)
    assert.deepEqual(at, trustLayout(picture, 800, 600))
    assert.equal(at.size, picture.dots.length)
    assert.equal(new Set([...at.values()].map(({ x, y }) => `${x} ${y}`)).size, at.size)
    for (const { x, y } of at.values()) assert.ok(x > 0 && x < 800 && y > 0 && y < 600, `${x} ${y}`)
  })

  test('places a lone subject in the middle', () => {
    const alone = trustPicture(
      { ...graph, nodes: [{ subject: 'agent:a', steps: 0 }], edges: [] },
      explanation,
    )
    assert.deepEqual(trustLayout(alone, 400, 300).get('agent:a'), { x: 200, y: 150 })
  })

  test('draws a stronger vouch with a wider line', () => {
    assert.deepEqual([0.01, 0.5, 1].map(vouchWidth), [1.1, 3.5, 6])
  })
})
