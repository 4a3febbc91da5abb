import type { Settings } from './compare.ts'
export async function mcpBench(_settings: Settings): Promise<void> {}
