/** The most that the metadata of an action can hold. */
export const MAX_METADATA_MEMBERS = 64
/** In canonical JSON. */
export const MAX_METADATA_BYTES = 4096
