import type { EvaluatePoliciesAnswer } from '../../../../sdk/node/src/generated/operations.ts'

interface MatrixCell {
  readonly jti: string
  readonly met: boolean
  readonly evidence: string
}

export type PolicyMatrix = readonly {
  readonly id: string
  readonly control: string
  readonly rule: string
  readonly cells: readonly MatrixCell[]
}[]

/** One row for each rule, with a cell for each token. A rule can be named by several controls: each is a row. */
export function policyMatrix(
  jtis: readonly string[],
  answers: readonly Pick<EvaluatePoliciesAnswer, 'findings'>[],
): PolicyMatrix {
  const rules = answers[0]?.findings ?? []
  return rules.map(({ id, control, rule }, index) => ({
    id: `${id} ${control}`,
    control,
    rule,
    cells: jtis.flatMap((jti, column) => {
      // The service answers every token with the same rules in the same order.
      const found = answers[column]?.findings[index]
      return found === undefined ? [] : [{ jti, met: found.met, evidence: found.evidence }]
    }),
  }))
}
