export * from './contract.ts'
export { judge } from './judge/judge.ts'
export { type EngineOptions, openEngine } from './pool/open-engine.ts'
