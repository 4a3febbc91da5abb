import { allowsAction, allowsResource, type Scope } from '@deputize/protocol'

/**
 * Returns what `asked` contains beyond the ceilings of a person's groups. Each action on each resource must be allowed
 * by a single group: an action from one group and a resource from another don't combine.
 */
export function beyondCeilings(ceilings: readonly Scope[], asked: Scope): string[] {
  const resources = asked.resources.filter((one) => !ceilings.some((held) => allowsResource(held, one)))
  const actions = asked.actions.filter((one) => !ceilings.some((held) => allowsAction(held, one)))
  const pairs = asked.actions.flatMap((action) =>
    asked.resources
      .filter((resource) => !resources.includes(resource) && !actions.includes(action))
      .filter(
        (resource) => !ceilings.some((held) => allowsResource(held, resource) && allowsAction(held, action)),
      )
      .map((resource) => `${action}@${resource}`),
  )
  return [...resources, ...actions, ...pairs]
}
