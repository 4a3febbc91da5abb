export { FirstRun } from './first-run.tsx'
export { SetUpStrip } from './set-up-card.tsx'
