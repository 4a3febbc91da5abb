const WIDTH = 140

/**
 * JSON in which everything that fits on one line is on one line. Examples always are, because they are read in the
 * documentation.
 */
export function compactJson(value: unknown, indent = '', prefix = 0): string {
  const line = oneLine(value)
  if (typeof value !== 'object' || value === null || indent.length + prefix + line.length <= WIDTH)
    return line
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const entries = isList
    ? value.map((entry) => `${inner}${compactJson(entry, inner)}`)
    : Object.entries(value).map(([name, member]) => {
        const label = `${JSON.stringify(name)}: `
        if (name === 'example') return `${inner}${label}${JSON.stringify(member)}`
        return `${inner}${label}${compactJson(member, inner, label.length)}`
      })
  const [open, close] = isList ? ['[', ']'] : ['{', '}']
  return `${open}\n${entries.join(',\n')}\n${indent}${close}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${oneLine(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
