/** A separate chunk: few people look at keys every day. */
export { AccessScreen } from './access.tsx'
