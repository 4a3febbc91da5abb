import type { Operation } from '@deputize/protocol'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from './exit.ts'

/** The part of a JSON schema that options are made from. */
interface OptionSchema {
  readonly type?: unknown
  readonly enum?: readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, OptionSchema>>
  readonly required?: readonly string[]
  readonly items?: OptionSchema
  readonly anyOf?: readonly OptionSchema[]
}

export type CommandInput = Readonly<Record<string, unknown>>

/** Which members of an operation are arguments, in order, and which are left out. All others become options. */
export interface Offer {
  readonly args?: readonly string[]
  readonly without?: readonly string[]
  /** Arguments that the command needs, although the operation can do without them. */
  readonly required?: readonly string[]
}

/** Reads the input of the operation from the typed arguments and options. */
export type ReadInput = (args: readonly unknown[], options: CommandInput) => CommandInput

interface OfferedOption {
  /** Where the value belongs in the input. Limits belong inside `constraints`. */
  readonly path: readonly [string, ...string[]]
  readonly attribute: string
}

/** Adds an argument or option for every member of the operation, described by its schema. */
export function offerMembers(command: Command, row: Operation, offer: Offer): ReadInput {
  const { args = [], without = [], required = [] } = offer
  const members = operationMembers(row)
  for (const name of args) {
    const { schema, is_required } = operationMember(members, name)
    const isNeeded = is_required || required.includes(name)
    command.addArgument(argumentOf(name, { schema, is_required: isNeeded }))
  }
  const offered = [...members]
    .filter(([name]) => !args.includes(name) && !without.includes(name))
    .flatMap(([name, member]) => offerOption(command, [name], member, row))
  return (typed, options) => {
    const input: Record<string, unknown> = {}
    for (const [at, name] of args.entries()) input[name] = typed[at]
    for (const { path, attribute } of offered) setMember(input, path, options[attribute])
    return input
  }
}

interface Member {
  readonly schema: OptionSchema
  readonly is_required: boolean
}

function operationMembers({ params, query, body }: Operation): Map<string, Member> {
  const schemas = [params, query, body].filter((part) => part !== undefined) as OptionSchema[] // TypeBox schemas are JSON schemas
  return new Map(
    schemas.flatMap(({ properties = {}, required = [] }) =>
      Object.entries(properties).map(([name, schema]) => [
        name,
        { schema, is_required: required.includes(name) },
      ]),
    ),
  )
}

function operationMember(members: ReadonlyMap<string, Member>, name: string): Member {
  const member = members.get(name)
  if (member === undefined) throw new Error(`The operation has no member ${name}.`)
  return member
}

function argumentOf(name: string, { schema, is_required }: Member): Argument {
  const argument = new Argument(is_required ? `<${name}>` : `[${name}]`, helpText(name, schema))
  return schema.enum === undefined ? argument : argument.choices(schema.enum)
}

function offerOption(
  command: Command,
  path: readonly [string, ...string[]],
  member: Member,
  row: Operation,
): OfferedOption[] {
  const name = path.at(-1) ?? path[0]
  const option = optionOf(name, member)
  command.addOption(option)
  // Only changes of settings need --no-...: in other calls an absent option means false.
  if (member.schema.type === 'boolean' && row.method === 'PATCH')
    command.addOption(new Option(option.flags.replace('--', '--no-')))
  const own = { path, attribute: option.attributeName() }
  if (name !== 'constraints') return [own]
  const limits = Object.entries(member.schema.properties ?? {})
  return [
    own,
    ...limits.flatMap(([limit, schema]) =>
      offerOption(command, [name, limit], { schema, is_required: false }, row),
    ),
  ]
}

function optionOf(name: string, { schema, is_required }: Member): Option {
  const flag = `--${name.replaceAll('_', '-')}`
  const words = helpText(name, schema)
  // Not mandatory if a token is given, which contains its ID.
  const isMandatory = is_required && name !== 'vat_jti'
  return optionOfType(flag, words, schema).makeOptionMandatory(isMandatory)
}

function optionOfType(flag: string, words: string, schema: OptionSchema): Option {
  const nullable = schema.anyOf?.some(isNull) === true ? schema.anyOf.find((one) => !isNull(one)) : undefined
  if (nullable !== undefined) return orNull(optionOfType(flag, words, nullable))
  if (schema.enum !== undefined) return new Option(`${flag} <word>`, words).choices(schema.enum)
  switch (schema.type) {
    case 'boolean':
      return new Option(flag, words)
    case 'integer':
    case 'number':
      return new Option(`${flag} <number>`, words).argParser(readAmount)
    case 'array':
      return listOption(flag, words, schema.items ?? {})
    case 'object':
      return new Option(`${flag} <json>`, words).argParser(readJsonObject)
    default:
      return new Option(`${flag} <text>`, words)
  }
}

function isNull({ type }: OptionSchema): boolean {
  return type === 'null'
}

/** Stands for null, which commander would turn into an empty text. */
const REMOVED = Symbol('null')

/** Lets the word null remove a setting. */
function orNull(option: Option): Option {
  const { parseArg } = option
  return option.argParser((typed: string, before: unknown) => {
    if (typed === 'null') return REMOVED
    return parseArg === undefined ? typed : parseArg(typed, before)
  })
}

function listOption(flag: string, words: string, items: OptionSchema): Option {
  const hint = items.enum === undefined ? '' : ` (${items.enum.join(', ')})`
  return new Option(`${flag} <list>`, `${words}${hint}, comma-separated or repeated`).argParser(readList)
}

/** The description of the schema, without Markdown. */
function helpText(name: string, { description, items }: OptionSchema): string {
  const words = description ?? items?.description ?? name.replaceAll('_', ' ')
  return words.replaceAll('`', '').replace(/\.$/, '')
}

function readAmount(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.')
  return Number(text)
}

function readList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())]
}

function readJsonObject(text: string): unknown {
  const value = jsonValue(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object.')
  return value
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function setMember(input: Record<string, unknown>, [name, inner]: readonly string[], value: unknown): void {
  if (value === undefined || name === undefined) return
  if (inner === undefined) input[name] = value === REMOVED ? null : value
  else input[name] = { ...(isObjectValue(input[name]) ? input[name] : {}), [inner]: value }
}

function isObjectValue(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** The token named by --vat-jti, or the one of the caller. */
export function withToken(input: CommandInput, row: Operation, jti: string | undefined): CommandInput {
  if (input.vat_jti !== undefined || !operationMembers(row).get('vat_jti')?.is_required) return input
  if (jti === undefined)
    throw new UsageError('No token given. Name one with --vat-jti, or pass one with --token-file.')
  return { ...input, vat_jti: jti }
}
