/** drizzle-kit's form of the table that a foreign key refers to. */
const REFERENCE = /(\bREFERENCES )"public"\./g;

/**
 * Returns a migration of drizzle-kit without its schema: tables are created in the schema that the store is opened with.
 *
 * @throws Error if it names that schema anywhere but in a foreign key.
 */
export function unqualifiedMigration(sql: string): string {
  const unqualified = sql.replaceAll(REFERENCE, '$1');
  const line = unqualified.split('\n').find((text) => text.includes('"public"'));
  if (line !== undefined) throw new Error(`the migration names the schema public in: ${line}`);
  return unqualified;
}
