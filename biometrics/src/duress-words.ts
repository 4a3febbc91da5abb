import type { DuressSign } from './contract.ts'

/**
 * Words that can be a secret sign of coercion, with their two spellings as tokens of the recogniser: mid-text and with
 * a capital. All have two or three syllables, are known to the recogniser, and sound unlike digits. A word is never
 * removed, because someone may rely on it. A test compares the tokens with the published tokenizer.
 */
export const DURESS_WORD_TOKENS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  balcony: [
    [6411, 535, 29891],
    [7392, 535, 29891],
  ],
  banana: [
    [9892, 1648],
    [10765, 1648],
  ],
  basketball: [[20305], [21850]],
  bathroom: [
    [27683, 8345],
    [28256, 8345],
  ],
  battery: [[16988], [350, 2620, 29891]],
  bicycle: [
    [289, 4245, 2841],
    [350, 4245, 2841],
  ],
  blanket: [
    [9654, 300],
    [3164, 804, 300],
  ],
  bracelet: [
    [4105, 346, 1026],
    [5032, 346, 1026],
  ],
  bucket: [[20968], [16281, 300]],
  butterfly: [
    [541, 357, 17652],
    [1205, 357, 17652],
  ],
  cabbage: [
    [7776, 17807],
    [315, 8846, 482],
  ],
  calendar: [[17684], [26431]],
  camel: [
    [3949, 295],
    [5500, 295],
  ],
  camera: [[10656], [24321]],
  candle: [
    [23794, 280],
    [28433, 280],
  ],
  canyon: [
    [508, 29891, 265],
    [315, 1384, 265],
  ],
  captain: [[15315], [10842]],
  carnival: [
    [1559, 29876, 2561],
    [1704, 29876, 2561],
  ],
  carpenter: [
    [1559, 29886, 5893],
    [1704, 29886, 5893],
  ],
  carrot: [
    [1559, 5450],
    [1704, 5450],
  ],
  castle: [[20610], [15194]],
  cathedral: [
    [274, 21471],
    [315, 21471],
  ],
  champion: [[8064], [5257]],
  chimney: [
    [20674, 3801],
    [678, 326, 3801],
  ],
  chocolate: [
    [521, 542, 23167],
    [678, 542, 23167],
  ],
  cinnamon: [
    [274, 2559, 314, 265],
    [315, 2559, 314, 265],
  ],
  circus: [
    [3449, 375],
    [12594, 375],
  ],
  coconut: [
    [1302, 535, 329],
    [3189, 535, 329],
  ],
  computer: [[6601], [20972]],
  copper: [
    [1302, 2496],
    [3189, 2496],
  ],
  cotton: [
    [20118, 880],
    [26783, 880],
  ],
  crystal: [
    [10901, 11195],
    [22121, 11195],
  ],
  curtain: [
    [3151, 2408],
    [10837, 2408],
  ],
  detective: [
    [6459, 573],
    [5953, 522, 573],
  ],
  diamond: [
    [11502, 898],
    [22904, 898],
  ],
  dolphin: [
    [8828, 561, 262],
    [11201, 561, 262],
  ],
  dragon: [[8338, 265], [24339]],
  elephant: [
    [4552, 561, 424],
    [8317, 561, 424],
  ],
  emerald: [
    [11176, 2741],
    [27718, 2741],
  ],
  envelope: [
    [427, 21367],
    [1174, 21367],
  ],
  football: [[5733], [8914]],
  garden: [[16423], [19906]],
  garlic: [
    [7171, 506],
    [7455, 506],
  ],
  glacier: [
    [14751, 13241],
    [19798, 13241],
  ],
  guitar: [[11210], [2088, 3673]],
  hammer: [
    [16366, 1050],
    [7904, 1050],
  ],
  hospital: [[13457], [15967]],
  hurricane: [
    [298, 1038, 26655],
    [379, 1038, 26655],
  ],
  island: [[11359], [7935]],
  jacket: [
    [28015, 300],
    [5457, 300],
  ],
  jungle: [
    [432, 686, 280],
    [20260, 280],
  ],
  kangaroo: [
    [413, 574, 279, 3634],
    [476, 574, 279, 3634],
  ],
  kitchen: [[29181], [476, 23213]],
  ladder: [
    [11979, 672],
    [19955, 672],
  ],
  lantern: [
    [10906, 725],
    [18273, 725],
  ],
  leather: [
    [454, 1624],
    [951, 1624],
  ],
  lemon: [
    [454, 3712],
    [8836, 265],
  ],
  library: [[3489], [9538]],
  magazine: [[14853], [17880]],
  magnet: [[10710], [3561, 1212]],
  mango: [
    [286, 4524],
    [341, 4524],
  ],
  marathon: [
    [1766, 25206],
    [1085, 25206],
  ],
  marble: [
    [1766, 569],
    [1085, 569],
  ],
  melody: [
    [9232, 1486],
    [6286, 1486],
  ],
  mirror: [[19571], [11612, 729]],
  monkey: [
    [1601, 1989],
    [2598, 1989],
  ],
  motorcycle: [
    [10992, 23090],
    [16843, 23090],
  ],
  mountain: [[14378], [18204]],
  museum: [[19133], [6838]],
  mushroom: [
    [286, 1878, 8345],
    [341, 1878, 8345],
  ],
  necklace: [
    [18873, 1265],
    [2448, 384, 1265],
  ],
  newspaper: [[19656], [1570, 1028, 7202]],
  orchestra: [[470, 15554], [23685]],
  pajamas: [
    [282, 1175, 314, 294],
    [349, 1175, 314, 294],
  ],
  penguin: [
    [282, 19636, 262],
    [349, 19636, 262],
  ],
  pepper: [
    [1236, 2496],
    [3938, 2496],
  ],
  piano: [[11914], [349, 3328]],
  pillow: [
    [22549, 340],
    [349, 453, 340],
  ],
  pirate: [
    [21625, 403],
    [16937, 403],
  ],
  planet: [[15754], [20540]],
  potato: [
    [3104, 1219],
    [10173, 1219],
  ],
  professor: [[12251], [11386]],
  pumpkin: [
    [282, 3427, 9089],
    [349, 3427, 9089],
  ],
  rabbit: [
    [27127, 277],
    [16155, 2966],
  ],
  radio: [[7155], [9204]],
  rainbow: [
    [17251, 17729],
    [21431, 17729],
  ],
  rocket: [
    [696, 3522],
    [1528, 3522],
  ],
  sandwich: [
    [11982, 16416],
    [8564, 16416],
  ],
  satellite: [[28421], [12178, 20911]],
  sausage: [
    [872, 21125],
    [317, 1485, 482],
  ],
  saxophone: [
    [872, 29916, 3021, 650],
    [18574, 3021, 650],
  ],
  shadow: [[15504], [1383, 6986]],
  spider: [[805, 1241], [26778]],
  submarine: [
    [1014, 24556],
    [3323, 24556],
  ],
  sweater: [
    [7901, 1008],
    [317, 705, 1008],
  ],
  symphony: [
    [5016, 22214],
    [10667, 22214],
  ],
  telephone: [
    [4382, 6710],
    [9699, 6710],
  ],
  theater: [[278, 1008], [16150]],
  thunder: [
    [266, 5062],
    [498, 5062],
  ],
  tomato: [
    [6454, 1219],
    [4335, 1219],
  ],
  trumpet: [
    [534, 3427, 300],
    [27504, 300],
  ],
  umbrella: [
    [1922, 1030, 13520],
    [6379, 1030, 13520],
  ],
  vampire: [
    [325, 1160, 533],
    [478, 1160, 533],
  ],
  velvet: [
    [5343, 5990],
    [12019, 5990],
  ],
  violin: [
    [5537, 262],
    [10630, 22878],
  ],
  volcano: [
    [1700, 26004],
    [3684, 26004],
  ],
  volleyball: [
    [1700, 2330, 2135],
    [3684, 2330, 2135],
  ],
  wizard: [
    [281, 17909],
    [399, 17909],
  ],
}

/** Every word that a person can choose, in alphabetical order. Decoys are drawn from the same list. */
export const DURESS_WORDS: readonly string[] = Object.keys(DURESS_WORD_TOKENS)

/** Whether the engine can hear this word. Lower case only: `banana`, not `Banana`. */
export function isUsableDuressWord(word: string): boolean {
  return Object.hasOwn(DURESS_WORD_TOKENS, word)
}

/**
 * Returns the spellings of a word. A word not in the list is a bug, because the service checks it when it is chosen.
 */
export function duressWordTokens({ word }: Pick<DuressSign, 'word'>): readonly (readonly number[])[] {
  const tokens = isUsableDuressWord(word) ? DURESS_WORD_TOKENS[word] : undefined
  if (tokens === undefined) throw new Error('The sign of coercion is not a usable word.')
  return tokens
}
