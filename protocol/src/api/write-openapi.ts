import { readFileSync, writeFileSync } from 'node:fs'
import { openApiDocument } from './openapi.ts'
import { rolesPage } from './roles-page.ts'

const root = new URL('../../../', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
writeFileSync(new URL('openapi.json', root), `${JSON.stringify(openApiDocument(version), undefined, 2)}\n`)
writeFileSync(new URL('docs/roles.md', root), rolesPage())
