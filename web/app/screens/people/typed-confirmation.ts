const TYPED_LENGTH = 5

/** What operators type to confirm that they mean this person: the end of the ref, which every screen shows. */
export function wordToType(human_ref: string): string {
  return human_ref.slice(-TYPED_LENGTH)
}

export function isTypedRight(typed: string, human_ref: string): boolean {
  return typed.trim().toLowerCase() === wordToType(human_ref)
}
