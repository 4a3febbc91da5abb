/** The action that is under way, so that what it causes can name it. */
export interface CurrentAction {
  readonly aar_id: string
  readonly provenance_ref: string
}

/** As much of AsyncLocalStorage as is needed. */
interface Storage {
  run<T>(action: CurrentAction, work: () => T): T
  getStore(): CurrentAction | undefined
}

// Asked for without an import, because browsers have none: there the cause is named by `parent`.
const storage = newStorage()

function newStorage(): Storage | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  const module = process?.getBuiltinModule?.('node:async_hooks') as
    | { AsyncLocalStorage?: new () => Storage }
    | undefined
  return module?.AsyncLocalStorage === undefined ? undefined : new module.AsyncLocalStorage()
}

export function currentAction(): CurrentAction | undefined {
  return storage?.getStore()
}

/** Runs `work`; what it starts finds `action` as the current one, where the runtime can tell. */
export function duringAction<T>(action: CurrentAction, work: () => T): T {
  return storage === undefined ? work() : storage.run(action, work)
}
