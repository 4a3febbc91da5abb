/**
 * Renders the small part of Go templates that our chart uses: values, `quote`, `toYaml | nindent`, and `if` without `else`.
 * Anything else is an error, so the chart stays within what this can check.
 */
import { stringify } from 'yaml'

interface TemplateContext {
  readonly Release: Readonly<Record<string, unknown>>
  readonly Values: Readonly<Record<string, unknown>>
}

const IF = /[ ]*\{\{- if (\.[\w.]+) \}\}\n([\s\S]*?)[ ]*\{\{- end \}\}\n/g
const ACTION = /[ ]*\{\{- (toYaml [^}]+) \}\}|\{\{ ([^}]+) \}\}/g

export function renderTemplate(template: string, context: TemplateContext): string {
  const chosen = template.replaceAll(IF, (_, path: string, body: string) =>
    isTruthy(valueAt(path, context)) ? body : '',
  )
  const rendered = chosen.replaceAll(ACTION, (_, block: string | undefined, inline: string) =>
    block === undefined ? inlineText(inline, context) : blockText(block, context),
  )
  if (rendered.includes('{{')) throw new Error(`unknown template: ${/\{\{[^}]*\}\}/.exec(rendered)?.[0]}`)
  return rendered
}

function inlineText(action: string, context: TemplateContext): string {
  const [path = '', filter, ...others] = action.split(' | ')
  if (others.length > 0 || (filter !== undefined && filter !== 'quote'))
    throw new Error(`unknown template: ${action}`)
  const value = String(valueAt(path, context))
  return filter === 'quote' ? JSON.stringify(value) : value
}

function blockText(action: string, context: TemplateContext): string {
  const [, path = '', indent] = /^toYaml (\S+) \| nindent (\d+)$/.exec(action) ?? []
  if (indent === undefined) throw new Error(`unknown template: ${action}`)
  const lines = stringify(valueAt(path, context)).trimEnd().split('\n')
  return lines.map((line) => `${' '.repeat(Number(indent))}${line}`).join('\n')
}

/** A value that does not exist is an error, as a typing mistake in a template would be silent otherwise. */
function valueAt(path: string, context: TemplateContext): unknown {
  const names = path.split('.').slice(1)
  let value: unknown = context
  for (const name of names) {
    if (typeof value !== 'object' || value === null || !(name in value)) throw new Error(`no value ${path}`)
    value = Reflect.get(value, name)
  }
  return value
}

function isTruthy(value: unknown): boolean {
  return (
    value !== '' && value !== false && value !== undefined && !(Array.isArray(value) && value.length === 0)
  )
}
