/** The script of `<deputy-verify>`. The audio thread loads it too, and finds only the worklet in it. */
import { registerPcmWorklet } from '../capture/pcm-worklet.ts'
import { defineDeputyVerify } from './deputy-verify.ts'

registerPcmWorklet()
defineDeputyVerify(import.meta.url)
