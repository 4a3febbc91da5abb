import { type AudioNets, analyseAudio } from './audio/analyse-audio.ts'
import { openAudio } from './audio/open-audio.ts'
import { hasDuressGesture } from './checks/duress-gesture.ts'
import { pictureQuality } from './checks/picture-quality.ts'
import { EngineError, type OperatorNet, type StepEvidence, type StepRequest } from './contract.ts'
import { mediaDigest } from './media-digest.ts'
import { type OpenOperatorNet, openOperatorNets, operatorScoring } from './operator/operator-scoring.ts'
import { openPack } from './pack/open-pack.ts'
import { analyseVision, type VisionParts } from './vision/analyse-vision.ts'
import { PictureError } from './vision/jpeg-header.ts'
import { openVision } from './vision/open-vision.ts'

/** The nets of a pack, loaded once and used for one step after another. */
export interface Analyser {
  /** Throws an `EngineError` `bad_media` if the media cannot be read. */
  analyse(request: StepRequest): Promise<StepEvidence>
}

interface EngineParts {
  readonly vision: VisionParts
  readonly audio: AudioNets
  readonly operator: readonly OpenOperatorNet[]
}

/** Loads everything that a judging process needs. Throws if a file of the pack was changed. */
export async function openAnalyser(
  pack_directory: string,
  operator_nets: readonly OperatorNet[] = [],
): Promise<Analyser> {
  const pack = openPack(pack_directory)
  const [vision, audio] = await Promise.all([openVision(pack), openAudio(pack)])
  const operator = await openOperatorNets(pack, operator_nets)
  return { analyse: (request) => analyseStep(request, { vision, audio, operator }) }
}

/** Turns the media of one step into evidence. The work is the same for every sign of coercion. */
async function analyseStep(request: StepRequest, parts: EngineParts): Promise<StepEvidence> {
  const { step, media, prior } = request
  const media_digest = mediaDigest(media)
  const video_label = media.device?.video_label
  const scoring = operatorScoring(parts.operator)
  const vision = await readable(() =>
    analyseVision({ step, frames: media.frames, video_label, prior, onFace: scoring.face }, parts.vision),
  )
  const audio = await analyseAudio(step, media.sound, request.duress, parts.audio)
  if (step.kind === 'speak' && media.sound !== undefined) await scoring.sound(media.sound)
  return {
    step,
    media_digest,
    quality: [...pictureQuality(vision), ...audio.quality],
    vision,
    audio: audio.evidence,
    duress: hasDuressGesture(step, vision, request.duress) || audio.duress,
    ...scoring.evidence(step),
  }
}

async function readable<Value>(read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof PictureError)
      throw new EngineError('bad_media', error.message, { pointer: error.pointer })
    throw error
  }
}
