export const ACCESS_MODES = ['open', 'keyed'] as const

/** Open: any program on this machine may call. Keyed: every call needs a credential. */
export type AccessMode = (typeof ACCESS_MODES)[number]
