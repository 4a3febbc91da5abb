/**
 * Tokens of Moonshine's vocabulary that spell digits. Each word has a form with a leading space and one with a capital;
 * a few need two tokens. A test compares this table with the published tokenizer.
 */
export const DIGIT_WORDS: readonly (readonly (readonly number[])[])[] = [
  [[5225], [28933], [9360], [6439]], // zero, and "oh"
  [[697], [3118]],
  [[1023], [7803]],
  [[2211], [12753]],
  [[3023], [12458]],
  [[5320], [22853]],
  [[4832], [18372]],
  [[9881], [26647]],
  [[9475], [382, 523]],
  [[14183], [405, 457]],
]

/** 0 to 9 as figures. */
export const DIGIT_FIGURES: readonly number[] = [
  29900, 29896, 29906, 29941, 29946, 29945, 29953, 29955, 29947, 29929,
]

export const SPACE = 29871
export const COMMA = 29892
export const FULL_STOP = 29889
export const HYPHEN = 29899
