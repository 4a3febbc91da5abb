import type { TestApp } from '@deputize/testing/a-test-app.ts'
import { LOCAL_CALLER } from '../src/access/caller.ts'
import type { EphemeralKind, EphemeralStore } from '../src/store/ephemeral.ts'
import { callerOf } from './some-callers.ts'

type Way = 'add' | 'replace'

/** Returns a function that calls operations and runs `before` before each entry is written. */
export function writingAfter(app: TestApp, before: (kind: EphemeralKind, way: Way) => Promise<void> | void) {
  const { ephemeral } = app.context
  const later: EphemeralStore = {
    ...ephemeral,
    add: async (kind, entry) => {
      await before(kind, 'add')
      return ephemeral.add(kind, entry)
    },
    replace: async (kind, entry, known) => {
      await before(kind, 'replace')
      return ephemeral.replace(kind, entry, known)
    },
  }
  return callerOf({ context: { ...app.context, ephemeral: later } }, LOCAL_CALLER)
}

/** Like `writingAfter`, on a node that pauses at its first write of an entry of this kind until `goOn` is called. */
export function aLateWriter(app: TestApp, kind: EphemeralKind, ways: readonly Way[] = ['add', 'replace']) {
  const reached = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const call = writingAfter(app, async (written, way) => {
    if (written !== kind || !ways.includes(way)) return
    reached.resolve()
    await gate.promise
  })
  return { call, isWriting: reached.promise, goOn: gate.resolve }
}
