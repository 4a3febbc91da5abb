/** The widget's screens and the transitions between them. Pure: independent of camera, page and service. */

/** Why there is no camera. */
export type DeviceProblem =
  | 'denied_query'
  | 'denied_plain'
  | 'denied_policy'
  | 'denied_insecure'
  | 'denied_system'
  | 'absent'
  | 'absent_microphone'
  | 'busy'
  | 'lost'
  | 'unsupported'

/** Why a recording must be repeated although it wasn't judged. */
export type Interruption = 'hidden' | 'slow' | 'interrupted' | 'timeout' | 'offline' | 'engine' | 'retry'

/** Why a session ended without a verified person. */
export type FailureCode =
  | 'expired'
  | 'used'
  | 'taken'
  | 'cancelled'
  | 'unknown'
  | 'locked'
  | 'not_enrolled'
  | 'review'
  | 'failed'
  | 'blocked'
  | 'other'

/** The step that the person sees. */
export interface StepOnScreen {
  readonly step_id: string
  readonly kind: string
}

export type SendingTrouble = 'slow' | 'offline' | 'busy'

/** Reasons in the words of a service or an engine. Shown as text, never as markup. */
type Said = { readonly reasons: readonly string[] }

export type WidgetScreen<Step extends StepOnScreen = StepOnScreen> =
  | { readonly name: 'loading' | 'consent' | 'framing' | 'opening' | 'provider' | 'finishing' | 'cancelled' }
  | { readonly name: 'devices'; readonly problem?: DeviceProblem }
  /** `reasons`: why this step is repeated. */
  | ({ readonly name: 'prepare' | 'recording'; readonly step: Step } & Said)
  | { readonly name: 'sending'; readonly step: Step; readonly trouble?: SendingTrouble }
  | { readonly name: 'passkey'; readonly problem?: PasskeyProblem }
  | { readonly name: 'done' }
  | ({ readonly name: 'retry'; readonly why: Interruption } & Said)
  | ({ readonly name: 'failed'; readonly code: FailureCode } & Said)

export type ScreenName = WidgetScreen['name']
/** `refused`: the service doesn't accept this passkey, but may accept another one. */
export type PasskeyProblem = 'not_used' | 'exists' | 'unsupported' | 'refused'

export type ScreenEvent<Step extends StepOnScreen = StepOnScreen> =
  | { readonly type: 'described' | 'accepted' | 'accepted_external' | 'devices_ready' | 'start' }
  | { readonly type: 'opened_external' | 'started' | 'recorded' | 'confirmed' | 'judged' }
  | { readonly type: 'choose_device' | 'undecided' | 'cancel' }
  /** `from`: where to start again. What is known and open before that stays. */
  | { readonly type: 'again'; readonly from: 'loading' | 'devices' | 'opening' }
  | { readonly type: 'devices_failed'; readonly problem: DeviceProblem }
  | ({ readonly type: 'revealed'; readonly step: Step } & Said)
  | { readonly type: 'sending_trouble'; readonly trouble: SendingTrouble | undefined }
  | { readonly type: 'answered'; readonly passkey_required: boolean }
  | { readonly type: 'passkey_failed'; readonly problem: PasskeyProblem }
  | ({ readonly type: 'interrupted'; readonly why: Interruption } & Partial<Said>)
  | ({ readonly type: 'failed'; readonly code: FailureCode } & Partial<Said>)

const ENDS: readonly ScreenName[] = ['done', 'failed', 'cancelled']
const WITH_CAMERA: readonly ScreenName[] = ['framing', 'opening', 'prepare', 'recording', 'sending']

/** Nothing follows these screens. */
export function isEnd({ name }: Pick<WidgetScreen, 'name'>): boolean {
  return ENDS.includes(name)
}

/** Whether the camera runs on this screen. On all others it is off. */
export function needsCamera({ name }: Pick<WidgetScreen, 'name'>): boolean {
  return WITH_CAMERA.includes(name)
}

/** The next screen. An event that does not fit the screen changes nothing, such as a second click or a late answer. */
export function nextScreen<Step extends StepOnScreen>(
  screen: WidgetScreen<Step>,
  event: ScreenEvent<Step>,
): WidgetScreen<Step> {
  if (isEnd(screen)) return screen
  if (event.type === 'cancel') return { name: 'cancelled' }
  if (event.type === 'failed') return { name: 'failed', code: event.code, reasons: event.reasons ?? [] }
  if (event.type === 'interrupted')
    return screen.name === 'consent'
      ? screen
      : { name: 'retry', why: event.why, reasons: event.reasons ?? [] }
  return following(screen, event) ?? screen
}

type Following<Step extends StepOnScreen> = Exclude<
  ScreenEvent<Step>,
  { type: 'cancel' | 'failed' | 'interrupted' }
>

/** Undefined if the event doesn't fit. */
function following<Step extends StepOnScreen>(
  screen: WidgetScreen<Step>,
  event: Following<Step>,
): WidgetScreen<Step> | undefined {
  switch (event.type) {
    case 'described':
      return screen.name === 'loading' ? { name: 'consent' } : undefined
    case 'accepted':
      return screen.name === 'consent' ? { name: 'devices' } : undefined
    case 'accepted_external':
      return screen.name === 'consent' ? { name: 'opening' } : undefined
    case 'devices_ready':
      return screen.name === 'devices' ? { name: 'framing' } : undefined
    case 'devices_failed':
      return screen.name === 'devices' || needsCamera(screen)
        ? { name: 'devices', problem: event.problem }
        : undefined
    case 'start':
      return screen.name === 'framing' ? { name: 'opening' } : undefined
    case 'opened_external':
      return screen.name === 'opening' ? { name: 'provider' } : undefined
    case 'choose_device':
      return screen.name === 'framing' ? { name: 'devices' } : undefined
    case 'again':
      if (screen.name !== 'retry' && screen.name !== 'devices') return undefined
      return { name: event.from }
    default:
      return duringCapture(screen, event)
  }
}

type DuringCapture<Step extends StepOnScreen> = Extract<
  Following<Step>,
  {
    type:
      | 'revealed'
      | 'started'
      | 'recorded'
      | 'sending_trouble'
      | 'answered'
      | 'confirmed'
      | 'passkey_failed'
      | 'judged'
      | 'undecided'
  }
>

function duringCapture<Step extends StepOnScreen>(
  screen: WidgetScreen<Step>,
  event: DuringCapture<Step> | Following<Step>,
): WidgetScreen<Step> | undefined {
  switch (event.type) {
    case 'revealed':
      return screen.name === 'opening' || screen.name === 'sending'
        ? { name: 'prepare', step: event.step, reasons: event.reasons }
        : undefined
    case 'started':
      return screen.name === 'prepare' ? { ...screen, name: 'recording' } : undefined
    case 'recorded':
      return screen.name === 'recording' ? { name: 'sending', step: screen.step } : undefined
    case 'sending_trouble':
      return screen.name === 'sending' ? sending(screen.step, event.trouble) : undefined
    case 'answered':
      return screen.name === 'sending' || screen.name === 'provider'
        ? { name: event.passkey_required ? 'passkey' : 'finishing' }
        : undefined
    case 'confirmed':
      return screen.name === 'passkey' ? { name: 'finishing' } : undefined
    case 'passkey_failed':
      return screen.name === 'passkey' || screen.name === 'finishing'
        ? { name: 'passkey', problem: event.problem }
        : undefined
    case 'judged':
      return screen.name === 'finishing' ? { name: 'done' } : undefined
    case 'undecided':
      return screen.name === 'finishing' ? { name: 'provider' } : undefined
    default:
      return undefined
  }
}

function sending<Step extends StepOnScreen>(
  step: Step,
  trouble: SendingTrouble | undefined,
): WidgetScreen<Step> {
  return trouble === undefined ? { name: 'sending', step } : { name: 'sending', step, trouble }
}
