/** The members of a step that a capture reads. */
export interface ShownTask {
  readonly step_id: string
  readonly kind: 'neutral' | 'move' | 'flash' | 'speak' | 'gesture'
  readonly prompt: string
  readonly duration_ms: number
  readonly colors?: readonly ('red' | 'green' | 'blue' | 'black')[]
  readonly slot_ms?: number
}
