import { VOICE_NETS, type VoiceNet } from '../contract.ts'
import type { Pack } from '../pack/open-pack.ts'
import type { TensorNet } from '../tensor-net.ts'
import type { AudioNets } from './analyse-audio.ts'

/** Loads the nets for sound from the pack. Voice nets may be missing. */
export async function openAudio(pack: Pack): Promise<AudioNets> {
  const [vad, encoder, decoder] = await Promise.all([
    pack.openNet('silero-vad'),
    pack.openNet('moonshine-encoder'),
    pack.openNet('moonshine-decoder'),
  ])
  return { vad, moonshine: { encoder, decoder }, voice: await openVoice(pack) }
}

async function openVoice(pack: Pack): Promise<AudioNets['voice']> {
  const voice: Partial<Record<VoiceNet, TensorNet>> = {}
  for (const net of VOICE_NETS) if (pack.has(net)) voice[net] = await pack.openNet(net)
  return voice
}
