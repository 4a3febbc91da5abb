import {
  type ActiveHours,
  type ArgumentLimits,
  type Constraints,
  canonicalTimeZone,
  invalidField,
  PERIOD_KINDS,
  type SpendPerPeriod,
} from '@deputize/protocol'
import { haveEqualEnds } from '../../domain/times/active-hours.ts'

/** Returns requested constraints in the form that tokens carry. Refuses meaningless ones, which the schema can't. */
export function requestedConstraints(constraints: Constraints): Constraints {
  const { active_hours, max_spend_usd_per, arguments: limits } = constraints
  if (active_hours !== undefined) assertHours(active_hours)
  if (max_spend_usd_per !== undefined) assertPeriods(max_spend_usd_per)
  if (limits !== undefined) assertArguments(limits)
  return {
    ...constraints,
    ...(active_hours !== undefined && { active_hours: inOneZone(active_hours) }),
    ...(max_spend_usd_per !== undefined && { max_spend_usd_per: inOneZone(max_spend_usd_per) }),
  }
}

/** Refuses a token whose own constraints don't allow the audience that it asks for, or inherits. */
export function assertAudience(
  { audience, constraints }: { readonly audience?: string; readonly constraints?: Constraints },
  inherited?: string,
): void {
  const allowed = constraints?.allowed_audiences
  if (audience !== undefined && allowed?.includes(audience) === false)
    throw invalidField('/audience', 'must be one of constraints.allowed_audiences')
  if (audience === undefined && inherited !== undefined && allowed?.includes(inherited) === false)
    throw invalidField('/constraints/allowed_audiences', "must contain the parent's audience")
}

/** Returns the same object with the canonical name of its time zone, so that a zone has one spelling in tokens. */
function inOneZone<T extends { time_zone?: string }>(value: T): T {
  const { time_zone } = value
  return time_zone === undefined ? value : { ...value, time_zone: canonicalTimeZone(time_zone) ?? time_zone }
}

function assertHours(active_hours: ActiveHours): void {
  if (!haveEqualEnds(active_hours)) return
  throw invalidField(
    '/constraints/active_hours/to',
    'must differ from `from`. For the whole day, send 00:00 to 24:00, or leave out active_hours',
  )
}

function assertPeriods(limits: SpendPerPeriod): void {
  if (PERIOD_KINDS.some((kind) => limits[kind] !== undefined)) return
  throw invalidField(
    '/constraints/max_spend_usd_per',
    `must limit at least one of ${PERIOD_KINDS.join(', ')}`,
  )
}

function assertArguments(limits: ArgumentLimits): void {
  for (const [action, paths] of Object.entries(limits))
    for (const [path, limit] of Object.entries(paths)) {
      const pointer = `/constraints/arguments/${escaped(action)}/${escaped(path)}`
      if (Object.keys(limit).length === 0)
        throw invalidField(pointer, 'must have at least one of max, min, one_of, matches, max_length')
      if (limit.min !== undefined && limit.max !== undefined && limit.min > limit.max)
        throw invalidField(`${pointer}/min`, 'must not be greater than max')
    }
}

/** Escapes a name for use in a JSON pointer. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
