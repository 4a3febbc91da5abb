/**
 * The words of a German text that use "du". Texts for people use "Sie" throughout, like the consent. An imperative
 * counts only at the start of a sentence or clause, because elsewhere the same letters may be a noun.
 */
export function informalGerman(text: string): string[] {
  const pronouns = text.match(/\b(du|dich|dir|dein(e[mnrs]?)?)\b/giu) ?? []
  const imperatives = text.match(IMPERATIVES) ?? []
  return [...pronouns, ...imperatives]
}

const VERBS = [
  ...[
    'Achte',
    'Bestätige',
    'Bitte um',
    'Blinzle',
    'Brich',
    'Bring',
    'Dreh',
    'Erlaube',
    'Fahr',
    'Fang',
    'Geh',
  ],
  ...[
    'Halt',
    'Komm',
    'Lass',
    'Mach',
    'Nimm',
    'Öffne',
    'Prüfe',
    'Richte',
    'Rück',
    'Schau',
    'Schließ',
    'Sprich',
  ],
  ...['Versuch', 'Wähle', 'Warte', 'Wende', 'Zeig'],
]
const IMPERATIVES = new RegExp(`(?<=^|[.:,!?] |und |oder )(${VERBS.join('|')})(?![\\p{L}])`, 'giu')
