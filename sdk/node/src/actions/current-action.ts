/** The running action, which actions started inside it name as their cause. */
export interface CurrentAction {
  readonly aar_id: string
  readonly provenance_ref: string
  /** Whether it has ended. Work that continues in the background then belongs to the surrounding action, if any. */
  readonly isOver: () => boolean
}

/** A running action, and the one around it. */
interface NestedAction extends CurrentAction {
  readonly around: NestedAction | undefined
}

/** The part of AsyncLocalStorage that is used. */
interface Storage {
  run<T>(action: NestedAction, work: () => T): T
  getStore(): NestedAction | undefined
}

interface AsyncHooks {
  readonly AsyncLocalStorage?: new () => Storage
}

// Looked up without an import, because browsers do not have it. There, callers pass `parent`.
const storage = newStorage()

function newStorage(): Storage | undefined {
  // Every member is optional in this type, because a runtime may lack it.
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): AsyncHooks | undefined } }
  const module = process?.getBuiltinModule?.('node:async_hooks')
  return module?.AsyncLocalStorage === undefined ? undefined : new module.AsyncLocalStorage()
}

/** Returns the innermost surrounding action that has not ended. */
export function currentAction(): CurrentAction | undefined {
  return runningAction()
}

function runningAction(): NestedAction | undefined {
  let action = storage?.getStore()
  while (action?.isOver() === true) action = action.around
  return action
}

/** Runs `work` with `action` as the current action, if the runtime can track it. */
export function duringAction<T>(action: CurrentAction, work: () => T): T {
  return storage === undefined ? work() : storage.run({ ...action, around: runningAction() }, work)
}
