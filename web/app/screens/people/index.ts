/** A chunk of its own: few look at people every day. */
export { PeopleScreen } from './people.tsx'
export { PersonScreen } from './person.tsx'
