import { Mark, OutcomeMark } from '../../parts/basics.tsx'

interface StateOfPerson {
  readonly erased_at?: string
  readonly refused_at?: string
}

/** Whether agents can act in the name of a person. */
export function PersonState({ of }: { readonly of: StateOfPerson }) {
  if (of.erased_at !== undefined) return <Mark tone="dim" shape="○" word="erased" />
  if (of.refused_at !== undefined) return <Mark tone="no" shape="✕" word="refused" />
  return <OutcomeMark name="active" />
}
