import { visibleText } from '@deputize/protocol'

const MOST_LINES = 40
const LONGEST_LINE = 1_200

type Members = Readonly<Record<string, unknown>>

/**
 * Returns a request's metadata as lines for the person who decides. The call that a guard describes in `request` comes
 * first. `metadata` is JSON text. Characters that hide or imitate others are replaced by their code points.
 */
export function requestSummary(metadata: string | undefined): string[] {
  if (metadata === undefined) return []
  const { request, ...others } = members(JSON.parse(metadata))
  const lines = [...callLines(request), ...memberLines(others, '')].map(shownLine)
  if (lines.length <= MOST_LINES) return lines
  return [...lines.slice(0, MOST_LINES - 1), `${lines.length - MOST_LINES + 1} more lines are not shown.`]
}

/** Returns the lines of a call: method and target for HTTP routes, tool and arguments for tools. */
function callLines(request: unknown): string[] {
  if (request === undefined) return []
  if (!isMembers(request)) return memberLines({ request }, '')
  const { summary, method, target, tool, arguments: given, ...others } = request
  return [
    ...(typeof summary === 'string'
      ? [summary]
      : memberLines({ ...(summary !== undefined && { summary }) }, '')),
    ...(method === undefined && target === undefined
      ? []
      : [
          `Request: ${[method, target]
            .filter((part) => part !== undefined)
            .map(plainText)
            .join(' ')}`,
        ]),
    ...(tool === undefined ? [] : [`Tool: ${plainText(tool)}`]),
    ...(given === undefined ? [] : memberLines({ arguments: given }, '')),
    ...memberLines(others, ''),
  ]
}

/** Returns one line for each value, with its path. */
function memberLines(value: Members, path: string): string[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const at = path === '' ? name : `${path}.${name}`
    if (isShortened(member)) return [`${at}: ${member.truncated}… (${member.length} characters)`]
    if (isMembers(member) && Object.keys(member).length > 0) return memberLines(member, at)
    return [`${at}: ${plainText(member)}`]
  })
}

/** Whether a guard shortened the value. The digest next to it covers the whole value. */
function isShortened(value: unknown): value is { truncated: string; length: number } {
  return isMembers(value) && typeof value.truncated === 'string' && typeof value.length === 'number'
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Cuts a long line in the middle, so that neither its beginning nor its end can be pushed out of sight. */
function shownLine(line: string): string {
  const visible = visibleText(line)
  if (visible.length <= LONGEST_LINE) return visible
  const half = LONGEST_LINE / 2
  return `${visible.slice(0, half)} … ${visible.length - LONGEST_LINE} characters … ${visible.slice(-half)}`
}

function members(value: unknown): Members {
  return isMembers(value) ? value : { metadata: value }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
