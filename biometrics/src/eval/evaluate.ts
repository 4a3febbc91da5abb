import { faceMatch } from '../checks/face-identity.ts'
import type { CaptureJudgement, Decision, Engine, Template } from '../contract.ts'
import { GATES } from '../judge/thresholds.ts'
import { type CaptureResult, judgeCaptures, judged, templatesOf } from './judge-captures.ts'
import { BONA_FIDE } from './labelled-capture.ts'
import { type Rate, rateOf } from './rates.ts'
import { readFolder } from './read-folder.ts'

export const NOT_TESTED =
  'Not tested to ISO/IEC 30107-3. These rates hold for these captures only; intervals are 95 % (Wilson).'

export interface Evaluation {
  readonly notice: typeof NOT_TESTED
  readonly engine_version: string
  readonly captures: number
  readonly subjects: number
  readonly species: readonly SpeciesRates[]
  /** The species with the highest APCER; undefined without attacks. */
  readonly worst_species: string | undefined
  readonly bpcer: Rate
  readonly bpnrr: Rate
  readonly fmr: Rate
  readonly fnmr: Rate
  readonly results: readonly CaptureSummary[]
}

export interface SpeciesRates {
  readonly species: string
  readonly apcer: Rate
  readonly apnrr: Rate
  readonly iapar: Rate
}

/** One entry per capture, to find out what went wrong. */
export interface CaptureSummary {
  readonly place: string
  readonly subject: string
  readonly species: string
  /** Without the face match. Undefined if it could not be judged. */
  readonly decision: Decision | undefined
  readonly reasons: readonly string[]
  readonly measures: Readonly<Record<string, number>>
}

/** Judges all captures of a folder and counts the outcomes. */
export async function evaluateCaptures(
  engine: Engine,
  folder: string,
  parallel: number,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<Evaluation> {
  const captures = readFolder(folder)
  const results = await judgeCaptures(engine, captures, parallel, (done) => onProgress(done, captures.length))
  const state = engine.state()
  return evaluation(results, state.state === 'ready' ? state.engine_version : 'unknown')
}

export function evaluation(results: readonly CaptureResult[], engine_version: string): Evaluation {
  const templates = templatesOf(results, engine_version)
  const genuine = results.filter(({ capture }) => capture.species === BONA_FIDE)
  const attacks = Map.groupBy(
    results.filter(({ capture }) => capture.species !== BONA_FIDE),
    ({ capture }) => capture.species,
  )
  const species = [...attacks].map(([name, own]) => speciesRates(name, own, templates))
  return {
    notice: NOT_TESTED,
    engine_version,
    captures: results.length,
    subjects: new Set(genuine.map(({ capture }) => capture.subject)).size,
    species,
    worst_species: worst(species)?.species,
    bpcer: shareOf(genuine.filter(isResponse), (result) => !isPassed(judged(result, undefined))),
    bpnrr: shareOf(genuine, (result) => !isResponse(result)),
    ...matchRates(genuine, templates),
    results: results.map(summaryOf),
  }
}

function speciesRates(
  species: string,
  attacks: readonly CaptureResult[],
  templates: ReadonlyMap<string, Template>,
): SpeciesRates {
  const answered = attacks.filter(isResponse)
  const claimed = answered.filter(({ capture }) => templates.has(capture.subject))
  return {
    species,
    apcer: shareOf(answered, (result) => isPassed(judged(result, undefined))),
    apnrr: shareOf(attacks, (result) => !isResponse(result)),
    iapar: shareOf(claimed, (result) => isPassed(judged(result, templates.get(result.capture.subject)))),
  }
}

/** Compares every genuine capture with every template, except with its subject's if it helped to make that one. */
function matchRates(
  genuine: readonly CaptureResult[],
  templates: ReadonlyMap<string, Template>,
): Pick<Evaluation, 'fmr' | 'fnmr'> {
  const pairs = genuine.flatMap(({ capture, steps }) =>
    [...templates].flatMap(([subject, template]) => {
      const match = steps && faceMatch(steps, template)
      return match === undefined ? [] : [{ capture, is_own: capture.subject === subject, match }]
    }),
  )
  const isMatch = ({ match }: { readonly match: number }) => match >= GATES.face_match
  const own = pairs.filter(({ is_own, capture }) => is_own && capture.purpose === 'verify')
  return {
    fmr: shareOf(
      pairs.filter(({ is_own }) => !is_own),
      isMatch,
    ),
    fnmr: shareOf(own, (pair) => !isMatch(pair)),
  }
}

/** Whether the engine gave a judgement. A retry isn't one, because it asks for a better capture. */
function isResponse(result: CaptureResult): boolean {
  const judgement = judged(result, undefined)
  return judgement !== undefined && judgement.decision !== 'retry'
}

function isPassed(judgement: CaptureJudgement | undefined): boolean {
  return judgement?.decision === 'pass'
}

function shareOf<Item>(items: readonly Item[], isCounted: (item: Item) => boolean): Rate {
  return rateOf(items.filter(isCounted).length, items.length)
}

function worst(species: readonly SpeciesRates[]): SpeciesRates | undefined {
  return species.toSorted((one, other) => (other.apcer.share ?? -1) - (one.apcer.share ?? -1))[0]
}

function summaryOf(result: CaptureResult): CaptureSummary {
  const { place, subject, species } = result.capture
  const judgement = judged(result, undefined)
  return {
    place,
    subject,
    species,
    decision: judgement?.decision,
    reasons:
      result.error === undefined
        ? [
            ...new Set([
              ...(result.steps?.flatMap(({ quality }) => quality) ?? []),
              ...(judgement?.modalities.flatMap(({ reasons }) => reasons) ?? []),
            ]),
          ]
        : [result.error],
    measures: Object.assign({}, ...(judgement?.modalities.map(({ measures }) => measures) ?? [])),
  }
}
