/** The problems of a form's fields, from the service's answer. */
export interface FormProblems {
  /** About the whole form, or about a member that the form has no field for. */
  readonly text: string | undefined
  readonly fields: readonly { readonly pointer: string; readonly detail: string }[]
}

export const NO_PROBLEMS: FormProblems = { text: undefined, fields: [] }

/** `pointers` are the form's fields. Problems that concern none of them are shown once, for the whole form. */
export function formProblems(
  text: string,
  errors: FormProblems['fields'] | undefined,
  pointers: readonly string[],
): FormProblems {
  const fields = (errors ?? []).filter(({ pointer }) => pointers.some((one) => isAt(pointer, one)))
  const isAllPlaced = errors !== undefined && errors.length > 0 && fields.length === errors.length
  return { text: isAllPlaced ? undefined : text, fields }
}

/** What is wrong with a field or something inside it. */
export function problemAt({ fields }: FormProblems, pointer: string): string | undefined {
  const found = fields.find((one) => isAt(one.pointer, pointer))
  return found === undefined ? undefined : sentence(found.detail)
}

function isAt(pointer: string, field: string): boolean {
  return pointer === field || pointer.startsWith(`${field}/`)
}

function sentence(detail: string): string {
  const text = detail.charAt(0).toUpperCase() + detail.slice(1)
  return /[.!?]$/.test(text) ? text : `${text}.`
}
