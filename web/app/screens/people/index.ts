/** A separate chunk: few operators look at people every day. */
export { PeopleScreen } from './people.tsx'
export { PersonScreen } from './person.tsx'
