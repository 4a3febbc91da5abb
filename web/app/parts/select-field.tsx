/** A field with a few possible values. */
export function SelectField<T extends string>({
  label,
  of,
  chosen,
  choose,
}: {
  readonly label: string
  readonly of: readonly (readonly [T, string])[]
  readonly chosen: T
  readonly choose: (value: T) => void
}) {
  const pick = (value: string) => {
    const found = of.find(([one]) => one === value)
    if (found !== undefined) choose(found[0])
  }
  return (
    <label class="field">
      {label}
      <select value={chosen} onChange={(event) => pick(event.currentTarget.value)}>
        {of.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </label>
  )
}
