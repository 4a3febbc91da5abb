import { resolve } from 'node:path'
import { type SettingName, unknownSettings } from './setting-names.ts'

/** Variables of the environment. */
export type SettingTexts = Readonly<Record<string, string | undefined>>

/** An integer, within its bounds. */
interface IntegerSetting {
  readonly least: number
  readonly most: number
  readonly otherwise: number
}

/** Reads settings from the environment, and collects every problem. An empty variable counts as unset. */
export class SettingsReader {
  readonly problems: string[]
  readonly #env: SettingTexts

  constructor(given: SettingTexts) {
    this.#env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
    this.problems = unknownSettings(Object.keys(this.#env))
  }

  refuse(...problems: string[]): void {
    this.problems.push(...problems)
  }

  text(name: SettingName): string | undefined {
    return this.#env[name]
  }

  /** Returns the absolute path. */
  path(name: SettingName): string | undefined {
    const path = this.text(name)
    return path === undefined ? undefined : resolve(path)
  }

  /** Returns the parts between commas. */
  list(name: SettingName): string[] {
    const parts = (this.text(name) ?? '').split(',').map((one) => one.trim())
    return parts.filter((one) => one !== '')
  }

  integer(name: SettingName, { least, most, otherwise }: IntegerSetting): number {
    const text = this.text(name)
    if (text === undefined) return otherwise
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    this.refuse(`${name}=${text} must be an integer from ${least} to ${most}.`)
    return otherwise
  }

  oneOf<const T extends readonly string[]>(name: SettingName, values: T, otherwise: T[number]): T[number] {
    const text = this.text(name)
    if (text === undefined) return otherwise
    const value = values.find((candidate) => candidate === text)
    if (value !== undefined) return value
    this.refuse(`${name}=${text} must be one of ${values.join(', ')}.`)
    return otherwise
  }
}
