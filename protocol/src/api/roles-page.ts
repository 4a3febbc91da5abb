import { REACHES, ROLES, type Role } from './access.ts'
import { ACCESS } from './access-table.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS, type OperationId } from './operations.ts'

const ROLE_NAMES = Object.keys(ROLES) as Role[] // the names are the keys of the table

/** The documentation of who may call what, from the table that the server asks. */
export function rolesPage(): string {
  return `# Who may call what

In keyed mode every call carries a credential, and each credential has one role in one tenant. This page is written from the table that the service asks (the \`access\` of each row in \`protocol/src/api/\`); run \`npm run generate\` after changing it. In open mode there is one caller, \`local\`, who may do everything.

## Roles

| role | who |
|---|---|
${ROLE_NAMES.map((role) => `| \`${role}\` | ${ROLES[role]} |`).join('\n')}

## How far a role reaches

What lies out of reach is answered as if it did not exist (404). A role that a row does not name gets 403, and a caller without a credential 401.

| reach | what |
|---|---|
${Object.entries(REACHES)
  .map(([reach, words]) => `| \`${reach}\` | ${words} |`)
  .join('\n')}

## The table

*Reviewers* are people whom the settings of a tenant name: they may do this for everybody of the tenant. *Passkey*: a tenant can ask people to confirm such a call with a fresh passkey, by naming the group in its setting \`step_up\`. An empty cell is a no.

| call | ${ROLE_NAMES.join(' | ')} | |
|---|${'---|'.repeat(ROLE_NAMES.length)}---|
${Object.entries<Operation>(OPERATIONS)
  .map(([id, { method, path }]) => line(id as OperationId, `${method} ${path}`))
  .join('\n')}
`
}

function line(id: OperationId, call: string): string {
  const row = ACCESS[id]
  const cells = ROLE_NAMES.map((role) => (row.public === true ? 'yes' : (row[role] ?? '')))
  const notes = [
    row.public === true ? 'nobody is asked' : '',
    row.reviewers === true ? 'reviewers' : '',
    row.step_up === undefined ? '' : `passkey (\`${row.step_up}\`)`,
  ]
  return `| \`${call}\` | ${cells.join(' | ')} | ${notes.filter((note) => note !== '').join(', ')} |`
}
