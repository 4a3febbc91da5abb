import { usd } from '../words/money.ts'

interface Amounts {
  readonly allocated_usd: number
  readonly spent_usd: number
  readonly reserved_usd: number
  readonly remaining_usd: number
}

const TIGHT = 0.8

/** Shows how much of a budget is used. Warns above 80 %. */
export function Gauge({ of }: { readonly of: Amounts | undefined }) {
  if (of === undefined) return <span class="dim">no limit</span>
  const share = usedShare(of)
  return (
    <span class="gauge-line">
      <svg class="gauge" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="gauge-rest" width="100" height="4" />
        <rect class={gaugeTone(share)} width={share * 100} height="4" />
      </svg>
      <span class="gauge-label">{usd(of.remaining_usd)} left</span>
    </span>
  )
}

export function usedShare({ allocated_usd, spent_usd, reserved_usd }: Amounts): number {
  if (allocated_usd <= 0) return 1
  return Math.min(1, Math.max(0, (spent_usd + reserved_usd) / allocated_usd))
}

export function gaugeTone(share: number): string {
  if (share >= 1) return 'gauge-full'
  return share > TIGHT ? 'gauge-tight' : 'gauge-used'
}
