import { REACHES, ROLES, type Role } from './access.ts'
import type { Operation } from './operation.ts'
import { OPERATIONS } from './operations.ts'

const ROLE_NAMES = Object.keys(ROLES) as Role[] // the names are the keys of the table

/** docs/reference/roles.md: who may call what in keyed mode, from the rows of the operations. */
export function rolesPage(): string {
  return `# Who may call what

In keyed mode every call carries a credential, and each credential has one role in one tenant. In open mode there is one caller, \`local\`, who may call everything.

This page is generated from the \`access\` member of each operation in \`protocol/src/api/\`. Run \`npm run generate\` after changing one.

## Roles

| role | who |
|---|---|
${ROLE_NAMES.map((role) => `| \`${role}\` | ${ROLES[role]} |`).join('\n')}

## Reach

Each cell of the table below says how far the role reaches. Anything out of reach returns 404, as if it did not exist. A role without a reach gets 403, and a caller without a credential gets 401.

| reach | meaning |
|---|---|
${Object.entries(REACHES)
  .map(([reach, words]) => `| \`${reach}\` | ${words} |`)
  .join('\n')}

## Operations

*Reviewers* are people named in the settings of a tenant: they may make this call for everyone in the tenant. *Passkey* means that a tenant can require people to confirm the call with a fresh passkey, by naming the group in its setting \`step_up\`. *Stop lane* means that the call takes back authority: no quota of a tenant or an address applies to it, and it goes ahead of everything that waits. An empty cell means that the role may not call.

| operation | call | ${ROLE_NAMES.join(' | ')} | |
|---|---|${'---|'.repeat(ROLE_NAMES.length)}---|
${Object.entries<Operation>(OPERATIONS)
  .map(([id, row]) => line(id, row))
  .join('\n')}
`
}

function line(id: string, { method, path, access, lane }: Operation): string {
  const cells = ROLE_NAMES.map((role) => (access.public === true ? 'yes' : (access[role] ?? '')))
  const notes = [
    access.public === true ? 'no credential needed' : '',
    access.reviewers === true ? 'reviewers' : '',
    access.step_up === undefined ? '' : `passkey (\`${access.step_up}\`)`,
    lane === 'stop' ? 'stop lane' : '',
  ]
  return `| \`${id}\` | \`${method} ${path}\` | ${cells.join(' | ')} | ${notes.filter((note) => note !== '').join(', ')} |`
}
