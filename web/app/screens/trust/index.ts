/** A separate chunk, because of the force layout of the graph. */
export { TrustGraphScreen } from './subject.tsx'
export { TrustScreen } from './trust.tsx'
