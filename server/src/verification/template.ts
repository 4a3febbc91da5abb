/** What is stored about an enrolled person, as the engine made it. */
export type { Template } from '@deputize/biometrics'
