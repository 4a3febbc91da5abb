import type { StepEvidence, StepRequest, VisionEvidence } from './contract.ts'
import { mediaDigest } from './media-digest.ts'

/** The nets of a pack, loaded once and used for one step after the other. */
export interface Analyser {
  /** Throws an `EngineError` `bad_media` if the media cannot be read. */
  analyse(request: StepRequest): Promise<StepEvidence>
}

export async function openAnalyser(_pack_directory: string): Promise<Analyser> {
  return {
    async analyse({ step, media }) {
      return {
        step,
        media_digest: mediaDigest(media),
        quality: media.frames.length === 0 ? ['too_few_frames'] : [],
        vision: { ...NOTHING_SEEN, frames: media.frames.length, t_ms: media.frames.map(({ t_ms }) => t_ms) },
        audio: undefined,
        duress: false,
      }
    },
  }
}

const NOTHING_SEEN: VisionEvidence = {
  frames: 0,
  t_ms: [],
  faces: [],
  searched: 0,
  several_faces: 0,
  reference: undefined,
  embeddings: [],
  moire: [],
  fingerprints: [],
  gestures: [],
  mouth: [],
  device_hints: [],
}
