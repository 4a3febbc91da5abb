/**
 * `node:test` follows every promise with an asynchronous hook, to know which test code belongs to. For tests that wait for
 * many promises that takes a third of their processor time. The hook is needed while tests are declared, and is switched off
 * once they run.
 */
import { type AsyncHook, createHook } from 'node:async_hooks'
import { Session } from 'node:inspector'

/** Nobody hands this hook out, so the debugger looks for it. */
const hookOfRunner: AsyncHook | undefined = hooks().find((hook) =>
  Object.getOwnPropertySymbols(hook).some((symbol) =>
    String(Reflect.get(hook, symbol)).includes('testResources'),
  ),
)

/** From now on errors that nobody catches belong to no test, and neither does what the imported `after` registers. */
export function stopTracking(): void {
  hookOfRunner?.disable()
}

function hooks(): AsyncHook[] {
  const shared: { prototype: object; found: AsyncHook[] } = {
    prototype: Object.getPrototypeOf(createHook({})),
    found: [],
  }
  const name = '__hooks'
  Reflect.set(globalThis, name, shared)
  const session = new Session()
  session.connect() // to this thread: every answer comes before `post` returns
  session.post('Runtime.evaluate', { expression: `${name}.prototype` }, (_, { result }) =>
    session.post(
      'Runtime.queryObjects',
      { prototypeObjectId: result.objectId ?? '' },
      (_error, { objects }) =>
        session.post('Runtime.callFunctionOn', {
          objectId: objects.objectId,
          functionDeclaration: `function () { ${name}.found = this }`,
        }),
    ),
  )
  session.disconnect()
  Reflect.deleteProperty(globalThis, name)
  return [...shared.found]
}
