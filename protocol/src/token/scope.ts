import type { Scope } from '../api/tokens/tokens.ts'

/** Whether a held entry covers `asked`: by equal bytes, or as `<namespace>:*` for one name in that namespace. */
export function covers(held: string, asked: string): boolean {
  if (held === asked) return true
  if (!held.endsWith(':*')) return false
  return asked.startsWith(held.slice(0, -1)) && !asked.endsWith(':*')
}

export function allowsResource(scope: Scope, resource: string): boolean {
  return scope.resources.some((held) => covers(held, resource))
}

export function allowsAction(scope: Scope, action: string): boolean {
  return scope.actions.includes(action)
}

/** What `child` asks for beyond `parent`. An empty list means that the child only narrows. */
export function widening(parent: Scope, child: Scope): string[] {
  return [
    ...child.resources.filter((resource) => !allowsResource(parent, resource)),
    ...child.actions.filter((action) => !allowsAction(parent, action)),
  ]
}
