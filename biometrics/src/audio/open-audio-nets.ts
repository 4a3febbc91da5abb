import type { Pack } from '../pack/open-pack.ts'
import type { AudioNets } from './analyse-audio.ts'

export async function openAudioNets(pack: Pack): Promise<AudioNets> {
  const [vad, encoder, decoder] = await Promise.all([
    pack.openNet('silero-vad'),
    pack.openNet('moonshine-encoder'),
    pack.openNet('moonshine-decoder'),
  ])
  return { vad, moonshine: { encoder, decoder } }
}
