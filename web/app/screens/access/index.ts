/** A chunk of its own: few look at keys every day. */
export { AccessScreen } from './access.tsx'
