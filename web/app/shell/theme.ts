import { signal } from '@preact/signals'

const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

const KEPT = 'deputy-theme'

export const theme = signal<Theme>(keptTheme())

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEPT)
  return THEMES.find((one) => one === kept) ?? 'system'
}

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.value
}

/** System, then light, then dark. */
export function nextTheme(): void {
  theme.value = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'system'
  localStorage.setItem(KEPT, theme.value)
  applyTheme()
}
