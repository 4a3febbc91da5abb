import { seededDraw } from '@deputize/testing/seeded-draw.ts'
import type { SimulatedCluster } from './simulated-cluster.ts'
import { ask, aWish, issued, persist, rootsOf, type Told, type Wish } from './wishes.ts'

/** Plays one story: clients call either node, while connections break, nodes die and clocks jump. */
export async function tellClusterStory(
  cluster: SimulatedCluster,
  seed: number,
  tick: (ms: number) => void,
): Promise<Told> {
  const draw = seededDraw(seed)
  cluster.drawFrom(draw)
  const { network, submit } = cluster
  const name = `s${seed}`
  const roots = rootsOf(name)
  const wishes: Wish[] = []
  const revoked: string[] = []
  const client = async (number: number) => {
    for (let turn = draw.between(1, 2); turn > 0; turn--) {
      const root = draw.pick(roots)
      if (draw.chance(0.1)) {
        await persist(() => submit({ kind: 'revoke', vat_jti: root, reason: undefined }))
        revoked.push(root)
        continue
      }
      const wish = aWish(root, draw.between(0, 3), `${name}k${number}x${turn}`)
      wishes.push(wish)
      // Some send a call to both nodes at once, like a client behind a proxy that repeats calls.
      await Promise.all(Array.from({ length: draw.chance(0.3) ? 2 : 1 }, () => ask(submit, wish, draw)))
    }
  }
  const told = async (): Promise<void> => {
    network.isCalm = false
    const tokens = roots.map((root, number) => issued(root, seed, number, cluster.now()))
    await Promise.all(tokens.map((token) => persist(() => submit(token))))
    await Promise.all(Array.from({ length: draw.between(2, 3) }, (_, number) => client(number)))
    network.isCalm = true
    await Promise.all(wishes.map((wish) => ask(submit, wish, draw))) // all ask once more and must get the same answer
  }
  const before = network.faults
  await network.run(told(), () => {
    if (!network.isCalm) cluster.disturb()
    tick(draw.between(0, 20))
  })
  return { seed, name, wishes, revoked, faults: network.faults - before }
}
