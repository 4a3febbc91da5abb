import { pictureQuality } from './checks/picture-quality.ts'
import { EngineError, type StepEvidence, type StepRequest } from './contract.ts'
import { mediaDigest } from './media-digest.ts'
import { openPack } from './pack/open-pack.ts'
import { analyseVision, type VisionParts } from './vision/analyse-vision.ts'
import { PictureError } from './vision/jpeg-header.ts'
import { openVision } from './vision/open-vision.ts'

/** The nets of a pack, loaded once and used for one step after the other. */
export interface Analyser {
  /** Throws an `EngineError` `bad_media` if the media cannot be read. */
  analyse(request: StepRequest): Promise<StepEvidence>
}

export async function openAnalyser(pack_directory: string): Promise<Analyser> {
  const vision = await openVision(openPack(pack_directory))
  return { analyse: (request) => analyseStep(request, vision) }
}

/** Turns the media of one step into evidence. Does the same work whatever the sign of coercion is. */
export async function analyseStep(request: StepRequest, vision: VisionParts): Promise<StepEvidence> {
  const { step, media, prior } = request
  const digest = mediaDigest(media)
  const seen = await readable(() =>
    analyseVision({ step, frames: media.frames, video_label: media.device?.video_label, prior }, vision),
  )
  return {
    step,
    media_digest: digest,
    quality: pictureQuality(seen),
    vision: seen,
    audio: undefined,
    duress: false,
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
