/** English. Every other language has the same texts: the compiler reports missing ones. `{name}` is filled in. */
export const en = {
  title_verify: 'Verify that it’s you',
  title_enroll: 'Enroll your face and voice',
  loading: 'One moment…',
  cancel: 'Cancel',
  again: 'Try again',
  sound_on: 'Sound on',
  sound_off: 'Sound off',

  consent_asked_by: '{name} asks you to confirm that it’s you.',
  consent_asked: 'Confirm that it’s you.',
  consent_enroll: 'Next time, a quick look into the camera shows that it’s you.',
  consent_allows: 'If you confirm, {agent} gets a token:',
  consent_may: 'May',
  consent_on: 'On',
  consent_until: 'Valid for',
  consent_for: 'Purpose',
  /** Four parts, of which the person may leave out the last two. They are shown as one list. */
  consent_what:
    'Takes about a minute: you look into the camera|move your head|say six digits|show a hand sign',
  consent_flash:
    'For about four seconds the screen changes color, at most three times a second. If flashing light is a risk for you, choose another way.',
  consent_text: 'What you agree to',
  consent_version: 'Version {version}',
  consent_accept: 'Agree and continue',
  consent_external: '{provider} checks your identity on its own page. It has its own terms.',

  other_way: 'Another way',
  other_intro: 'Leave out what you can’t do. Your passkey replaces it, so the check is just as strict.',
  other_no_voice: 'I can’t speak, or it’s too loud here',
  other_no_hand: 'I can’t show a hand sign',
  other_no_flash: 'No changing colors on the screen',
  other_motion: 'Your device is set to reduce motion, so the changing colors are left out.',
  other_none:
    'You don’t have to do this. If you cancel, the page that sent you here shows your other options.',

  duration_minutes: '{count} min',
  duration_hours: '{count} h',

  devices_title: 'Allow camera and microphone',
  devices_title_camera: 'Allow the camera',
  devices_ask:
    'Your browser asks now. Choose “Allow”. Pictures and sound go to the service that checks them, and are not stored.',
  denied_title: 'The camera is blocked',
  denied_query:
    'This page isn’t allowed to use the camera or the microphone. Open the site settings next to the address and allow both. If nothing happens then, try again.',
  denied_plain:
    'The browser has no permission. Allow camera and microphone for this page in the browser’s settings, then try again.',
  denied_policy:
    'The page that shows this isn’t allowed to use the camera. Its developer must allow it: allow="camera; microphone; publickey-credentials-get".',
  denied_insecure: 'The camera only works on https pages. Open this page over https.',
  denied_system:
    'Your system blocks the camera for this browser. Allow it in the device’s privacy settings, then try again.',
  absent_title: 'No camera found',
  absent: 'Connect a camera and a microphone, or open this page on your phone.',
  absent_microphone: 'Connect a microphone, or choose another way and leave out speaking.',
  busy_title: 'The camera is in use',
  busy: 'Another program uses the camera. Close it, then try again.',
  lost_title: 'The camera is gone',
  lost: 'The camera or microphone was disconnected or switched off. Connect it, then try again.',
  unsupported_title: 'This browser can’t record',
  unsupported: 'Use a current version of Safari, Firefox, Chrome or Edge.',

  framing_title: 'Put your face in the oval',
  framing_start: 'Start',
  framing_camera: 'Camera',
  framing_microphone: 'Microphone',
  framing_level: 'Microphone level',
  framing_settings: 'Camera and sound',
  framing_read_aloud: 'Read the instructions aloud',
  hint_ready: 'Looks good',
  hint_dark: 'Too dark: turn towards a window or a lamp',
  hint_bright: 'Too bright: turn away from the light',
  hint_backlit: 'Light from behind: turn so that it falls on your face',
  hint_far: 'Come closer',
  hint_near: 'Move back a little',
  hint_off_centre: 'Move to the middle',

  step_of: 'Step {done} of {total}',
  step_get_ready: 'Get ready',
  step_flash_soon: 'The screen changes color now, slowly. Look here and hold still.',
  step_recording: 'Recording',
  step_again: 'Once more',
  sending_title: 'Sending',
  sending_slow: 'Your connection is slow. Keep this page open.',
  sending_offline: 'No connection. This continues as soon as you are online again.',
  sending_busy: 'The service is busy. This continues in a moment.',
  opening: 'Opening the session…',
  finishing: 'Checking…',

  provider_title: 'Continue with {provider}',
  provider_text: 'It opens in a new tab. Come back here when you are done; this page updates automatically.',
  provider_open: 'Open {provider}',
  provider_waiting: 'Waiting for the result…',

  passkey_title: 'Confirm with your passkey',
  passkey_title_create: 'Create a passkey',
  passkey_text:
    'Your device asks for your fingerprint, face or PIN. The passkey signs this recording and nothing else.',
  passkey_text_request:
    'Your device asks for your fingerprint, face or PIN. The passkey signs this recording and this token, nothing else.',
  passkey_text_create:
    'You use it to confirm later verifications. Your device asks for your fingerprint, face or PIN.',
  passkey_use: 'Use passkey',
  passkey_create: 'Create passkey',
  passkey_not_used: 'The passkey was not used. Try again.',
  passkey_exists: 'This device already has a passkey for you. Use another device, or cancel.',
  passkey_unsupported: 'This browser can’t use passkeys here.',
  passkey_refused: 'This passkey is not accepted. Use another one, or one on another device.',

  done_title: 'It’s you',
  done_title_enroll: 'You’re enrolled',
  done: 'You can close this.',
  done_token: '{agent} has its token. You can close this.',
  done_elsewhere: 'Continue where you started. You can close this.',

  retry_title: 'That didn’t work yet',
  retry_left: 'Attempts left: {count}',
  failed_title: 'Not verified',
  failed_closed_title: 'You can’t continue here',
  cancelled_title: 'Cancelled',
  cancelled: 'Nothing was confirmed, and no recording is kept.',

  why_hidden: 'The page was in the background while recording. Keep it in the foreground.',
  why_slow: 'The recording arrived too late. Move closer to your router, or use another network.',
  why_interrupted: 'The recording was interrupted.',
  why_timeout: 'The three minutes are up.',
  why_offline: 'There was no connection for too long.',
  why_engine: 'This can’t be checked right now. Try again in a minute.',
  why_retry: 'The recording was not good enough.',

  end_expired: 'This link has expired. Go back and start again.',
  end_used: 'This verification is already finished.',
  end_taken: 'This verification continues on another device.',
  end_cancelled: 'This verification was cancelled.',
  end_unknown: 'This link is not valid. Go back and start again.',
  end_locked: 'Too many attempts. Wait a while, then start again.',
  end_not_enrolled: 'You have not enrolled yet.',
  end_review: 'The result is not clear enough. Go back to the page that sent you.',
  end_failed: 'The check suggests that this may not be you.',
  end_blocked:
    'This page isn’t allowed to call the verification service. Its developer must add its address to DEPUTY_WIDGET_ORIGINS.',
  end_other: 'Something went wrong. Go back and start again.',
}

/** All texts of the widget in one language. */
export type WidgetTexts = Readonly<Record<keyof typeof en, string>>
