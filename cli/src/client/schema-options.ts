import type { Operation } from '@deputize/protocol'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from './exit.ts'

/** What of a JSON schema options are made from. */
interface Schema {
  readonly type?: unknown
  readonly enum?: readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
}

export type Input = Readonly<Record<string, unknown>>

/** Members of an operation that are asked for in the order of the command line, and those that are not offered. */
export interface Offer {
  readonly args?: readonly string[]
  readonly without?: readonly string[]
}

/** Reads from what was typed the input of the operation. */
export type ReadInput = (args: readonly unknown[], options: Input) => Input

interface OfferedOption {
  /** Where its value belongs in the input; a limit stands inside of `constraints`. */
  readonly path: readonly [string, ...string[]]
  readonly attribute: string
}

/** Arguments and options for every member that the operation takes, with the words of its schema. */
export function offerMembers(command: Command, row: Operation, offer: Offer): ReadInput {
  const { args = [], without = [] } = offer
  const members = membersOf(row)
  for (const name of args) command.addArgument(argumentOf(name, memberOf(members, name)))
  const offered = [...members]
    .filter(([name]) => !args.includes(name) && !without.includes(name))
    .flatMap(([name, member]) => offerOption(command, [name], member, row))
  return (typed, options) => {
    const input: Record<string, unknown> = {}
    for (const [at, name] of args.entries()) input[name] = typed[at]
    for (const { path, attribute } of offered) setAt(input, path, options[attribute])
    return input
  }
}

interface Member {
  readonly schema: Schema
  readonly is_required: boolean
}

function membersOf({ params, query, body }: Operation): Map<string, Member> {
  const schemas = [params, query, body].filter((part) => part !== undefined) as Schema[] // schemas are JSON schemas
  return new Map(
    schemas.flatMap(({ properties = {}, required = [] }) =>
      Object.entries(properties).map(([name, schema]) => [
        name,
        { schema, is_required: required.includes(name) },
      ]),
    ),
  )
}

function memberOf(members: ReadonlyMap<string, Member>, name: string): Member {
  const member = members.get(name)
  if (member === undefined) throw new Error(`the operation has no member ${name}`)
  return member
}

function argumentOf(name: string, { schema, is_required }: Member): Argument {
  const argument = new Argument(is_required ? `<${name}>` : `[${name}]`, wordsOf(name, schema))
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
  // Only where settings are changed is no a word of its own: elsewhere what is not said is not so.
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
  const words = wordsOf(name, schema)
  // The id of the token is read from the token where one is shown.
  const isMandatory = is_required && name !== 'vat_jti'
  return kindOf(flag, words, schema).makeOptionMandatory(isMandatory)
}

function kindOf(flag: string, words: string, schema: Schema): Option {
  if (schema.enum !== undefined) return new Option(`${flag} <word>`, words).choices(schema.enum)
  switch (schema.type) {
    case 'boolean':
      return new Option(flag, words)
    case 'integer':
    case 'number':
      return new Option(`${flag} <number>`, words).argParser(readNumber)
    case 'array':
      return listOption(flag, words, schema.items ?? {})
    case 'object':
      return new Option(`${flag} <json>`, words).argParser(readJsonObject)
    default:
      return new Option(`${flag} <text>`, words)
  }
}

function listOption(flag: string, words: string, items: Schema): Option {
  const hint = items.enum === undefined ? '' : ` (${items.enum.join(', ')})`
  return new Option(`${flag} <list>`, `${words}${hint}; separated by commas, or repeated`).argParser(readList)
}

/** The words of the schema, without marks that only pages show. */
function wordsOf(name: string, { description, items }: Schema): string {
  const words = description ?? items?.description ?? name.replaceAll('_', ' ')
  return words.replaceAll('`', '').replace(/\.$/, '')
}

function readNumber(text: string): number {
  if (!/^-?\d+(\.\d+)?$/.test(text)) throw new InvalidArgumentError('It must be a number.')
  return Number(text)
}

function readList(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map((part) => part.trim())]
}

function readJsonObject(text: string): unknown {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object.')
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function setAt(input: Record<string, unknown>, [name, inner]: readonly string[], value: unknown): void {
  if (value === undefined || name === undefined) return
  if (inner === undefined) input[name] = value
  else input[name] = { ...objectIn(input[name]), [inner]: value }
}

function objectIn(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

/** The token that is named, else the one that is shown. */
export function withToken(input: Input, row: Operation, jti: string | undefined): Input {
  if (input.vat_jti !== undefined || !membersOf(row).get('vat_jti')?.is_required) return input
  if (jti === undefined)
    throw new UsageError('Which token? Name it with --vat-jti, or show it with --token-file.')
  return { ...input, vat_jti: jti }
}
