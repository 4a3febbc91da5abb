/** A chunk of its own, because of the forces that lay the graph out. */
export { TrustGraphScreen } from './subject.tsx'
export { TrustScreen } from './trust.tsx'
