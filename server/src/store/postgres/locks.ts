/** The numbers of Deputy's advisory locks in its database. Running nodes of other versions use the same ones. */
export const LOCKS = {
  migrate: 0x44_50_54_59,
  sign: 0x44_50_54_5a,
  move: 0x44_50_54_5b,
  write: 0x44_50_54_5c,
} as const
