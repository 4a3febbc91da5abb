import type { DeviceHint } from '../contract.ts'

/** A hint, never proof: the browser reports any label that it was given. */
const HINTS: Readonly<Record<DeviceHint, RegExp>> = {
  virtual_camera:
    /\b(obs|manycam|snap camera|xsplit|droidcam|epoccam|v4l2 ?loopback|loopback|e2esoft|splitcam|youcam|akvcam|unity video)\b|virtual|dummy video|fake_device/i,
  file_as_camera: /^(\/|[a-z]:\\)|\.(y4m|mjpeg|mp4|webm|avi)\b/i,
}

export function deviceHints(label: string | undefined): DeviceHint[] {
  if (label === undefined) return []
  // The keys of HINTS are exactly the hints.
  return (Object.keys(HINTS) as DeviceHint[]).filter((hint) => HINTS[hint].test(label))
}
