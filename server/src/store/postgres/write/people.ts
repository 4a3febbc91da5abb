import type { Marks } from '../../../domain/tokens/token.ts'
import type { DigestKind, KnownPerson } from '../../port/write-store.ts'
import { humanMarksOf } from '../../rows/tokens.ts'
import { bytes, integer, optionalInteger, type Row, text } from '../../values.ts'
import type { DataKey, Place, Vault } from '../../vault.ts'

/** A person as the current batch knows them. */
export interface Person {
  readonly human_ref: string
  readonly human_key: number
  readonly marks: Marks
  data_key: number | undefined
  erased_at_ms: number | undefined
  /** The key that `data_key` names, unwrapped on first use. */
  key: DataKey | undefined
  wrapped: Uint8Array | undefined
}

/** Reads a row of `humans` with the person's wrapped key, if there is one. */
export function personOf(row: Row): Person {
  return {
    human_ref: text(row.human_ref),
    human_key: integer(row.human_key),
    marks: humanMarksOf(row),
    data_key: optionalInteger(row.data_key),
    erased_at_ms: optionalInteger(row.erased_at_ms),
    key: undefined,
    wrapped: row.wrapped === null ? undefined : bytes(row.wrapped),
  }
}

export interface NewDataKey {
  readonly data_key: number
  readonly human_key: number
  readonly wrapped: Uint8Array
}

/** The data keys of people in one batch. New and destroyed keys are collected and written with the rest. */
export interface People {
  known(human_ref: string): KnownPerson | undefined
  digest(human_ref: string | undefined, kind: DigestKind, text: string): string
  seal(human_ref: string | undefined, place: Place, text: string): Uint8Array
  stamp(place: Place, text: string): Uint8Array
  destroyKey(human_ref: string, now_ms: number): void
  readonly new_keys: readonly NewDataKey[]
  readonly destroyed: readonly number[]
}

/** Where the people of one batch come from. */
export interface PeopleSource {
  /** Creates a row for a person without one. Undefined while it isn't known whether they have one. */
  personFor(human_ref: string): Person | undefined
  nextDataKey(): number
  /** Data keys that earlier attempts to judge the batch created, by number and person. */
  readonly made: Map<string, ReturnType<Vault['make']>>
  /** People whose row changed or is new. */
  readonly touched: Set<Person>
}

export function peopleOf(vault: Vault, { personFor, nextDataKey, made, touched }: PeopleSource): People {
  const new_keys: NewDataKey[] = []
  const destroyed: number[] = []

  function keyOf(human_ref: string | undefined): DataKey {
    if (human_ref === undefined) return vault.deployment
    const person = personFor(human_ref)
    // The person is not loaded yet: the batch is judged again once they are.
    if (person === undefined) return vault.deployment
    person.key ??= storedKey(person) ?? madeKey(person)
    return person.key
  }

  function storedKey({ data_key, human_ref, wrapped }: Person): DataKey | undefined {
    if (data_key === undefined || wrapped === undefined) return undefined
    return vault.unwrap(data_key, human_ref, wrapped)
  }

  function madeKey(person: Person): DataKey {
    const data_key = nextDataKey()
    const name = `${data_key} ${person.human_ref}`
    const { key, wrapped } = made.get(name) ?? vault.make(data_key, person.human_ref)
    made.set(name, { key, wrapped })
    new_keys.push({ data_key, human_key: person.human_key, wrapped })
    person.data_key = data_key
    person.wrapped = wrapped
    touched.add(person)
    return key
  }

  return {
    known(human_ref) {
      const person = personFor(human_ref)
      return person && { erased_at_ms: person.erased_at_ms, has_data: person.data_key !== undefined }
    },
    digest: (human_ref, kind, text) => keyOf(human_ref).digest(kind, text),
    seal: (human_ref, place, text) => keyOf(human_ref).seal(place, text),
    stamp: (place, text) => vault.deployment.stamp(place, text),
    destroyKey(human_ref, now_ms) {
      const person = personFor(human_ref)
      if (person === undefined) return
      if (person.data_key !== undefined) destroyed.push(person.data_key)
      person.data_key = undefined
      person.wrapped = undefined
      person.key = undefined
      person.erased_at_ms = now_ms
      touched.add(person)
    },
    new_keys,
    destroyed,
  }
}
