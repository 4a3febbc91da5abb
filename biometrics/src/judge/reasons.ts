/**
 * Why a modality did not pass, in plain words. The list is closed and has no numbers: callers who see how close they
 * came could climb towards a pass.
 */
export const CAPTURE_REASONS = {
  step_missing: 'A step was not taken.',
  face_not_alone: 'Another face was in the picture at times.',
  head_not_turned: 'The head was not turned far enough to both sides.',
  looks_flat: 'The face did not show depth when the head was turned.',
  face_differs: 'The face does not match the enrolled one.',
  no_reflection:
    'The face did not reflect the colors of the screen. Raise its brightness, or move to the shade.',
  screen_pattern: 'The picture shows the pattern of a screen or a print.',
  repeated_frames: 'The same picture was sent several times.',
  face_changed: 'The face changed during the capture.',
  net_refused: 'A check of the operator found signs of an attack.',
  movement_missed: 'A requested movement was not seen.',
  wrong_digits: 'The spoken digits were not those on the screen.',
  voice_differs: 'The voice does not match the enrolled one well.',
  not_in_sync: 'The lips and the sound do not match.',
  weak_evidence: 'The evidence is too weak overall.',
  gesture_missed: 'The requested hand sign was not seen long enough.',
  passkey_missing: 'This step was left out, and no passkey took its place.',
} as const satisfies Record<string, string>
export type CaptureReason = keyof typeof CAPTURE_REASONS
