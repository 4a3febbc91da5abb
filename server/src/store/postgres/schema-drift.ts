import { randomBytes } from 'node:crypto'
import type { Form } from '../schema-drift.ts'
import { text } from '../values.ts'
import type { Database } from './connect.ts'
import { wholeSchema } from './migration-files.ts'

/** Excludes objects that belong to an extension. */
const own = (oid: string) => `NOT EXISTS (SELECT FROM pg_depend WHERE objid = ${oid} AND deptype = 'e')`

/**
 * Tables with their columns and everything that decides which rows they hold and who sees them; then indexes,
 * constraints, triggers, rules and functions. Leaves out storage parameters such as the fill factor, which may be
 * tuned.
 */
const OBJECTS = `
  SELECT CASE WHEN c.relkind IN ('r', 'p') THEN 'table' WHEN c.relkind = 'f' THEN 'foreign table' ELSE 'view' END AS kind,
    c.relname::text AS name, concat_ws(' ', c.relkind, c.relpersistence, c.relrowsecurity, c.relforcerowsecurity,
      EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhparent, inhrelid)),
      (SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attgenerated,
          a.attidentity, pg_get_expr(d.adbin, d.adrelid)), ', ' ORDER BY a.attname)
        FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)) AS definition
    FROM pg_class c WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND ${own('c.oid')}
  UNION ALL SELECT 'index', c.relname, concat_ws(' ', pg_get_indexdef(c.oid), i.indisvalid, i.indisready)
    FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relnamespace = $1 AND ${own('i.indrelid')}
  UNION ALL SELECT 'constraint', concat_ws(' of ', n.conname, c.relname), concat_ws(' ', pg_get_constraintdef(n.oid), n.convalidated)
    FROM pg_constraint n JOIN pg_class c ON c.oid = n.conrelid
    WHERE n.connamespace = $1 AND n.contype <> 'n' AND ${own('c.oid')}
  UNION ALL SELECT 'trigger', concat_ws(' of ', t.tgname, c.relname), concat_ws(' ', pg_get_triggerdef(t.oid), t.tgenabled)
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = $1 AND NOT t.tgisinternal AND ${own('c.oid')}
  UNION ALL SELECT 'rule', concat_ws(' of ', r.rulename, c.relname), concat_ws(' ', pg_get_ruledef(r.oid), r.ev_enabled)
    FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE c.relnamespace = $1 AND c.relkind IN ('r', 'p') AND ${own('c.oid')}
  UNION ALL SELECT 'function', concat(p.proname, '(', pg_get_function_identity_arguments(p.oid), ')'), pg_get_functiondef(p.oid)
    FROM pg_proc p WHERE p.pronamespace = $1 AND p.prokind IN ('f', 'p') AND ${own('p.oid')}`

/** Reads the form of the current schema. */
export async function formOf(database: Database): Promise<Form> {
  const found = await database.query(
    'SELECT oid, quote_ident(nspname) AS schema FROM pg_namespace WHERE nspname = current_schema()',
  )
  const [{ oid, schema } = {}] = found.rows
  const { rows } = await database.query(OBJECTS, [oid])
  return new Map(
    rows.map(({ kind, name, definition }) => [
      `${text(kind)} ${text(name)}`,
      text(definition).replaceAll(`${schema}.`, ''),
    ]),
  )
}

/**
 * Returns the form of a new store, made by this server, because another server might report the same definition
 * differently. The schema is created in a transaction that is rolled back, so it is never visible and leaves nothing
 * behind.
 */
export async function freshForm(database: Database): Promise<Form> {
  const schema = `deputy_form_${randomBytes(8).toString('hex')}`
  await database.query('BEGIN')
  try {
    await database.query(`CREATE SCHEMA ${schema}`)
    await database.query(`SET LOCAL search_path = ${schema}`)
    for (const part of wholeSchema()) await database.query(part)
    return await formOf(database)
  } finally {
    await database.query('ROLLBACK')
  }
}
