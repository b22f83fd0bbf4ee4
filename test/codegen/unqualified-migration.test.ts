import { generateDrizzleJson, generateMigration } from 'drizzle-kit/api';
import { expect, test } from 'vitest';
import { unqualifiedMigration } from '../../codegen/unqualified-migration.ts';
import { integer, pgTable } from '../../src/store/drizzle.ts';

test('a foreign key of drizzle-kit refers to no schema', async () => {
  const owners = pgTable('owners', { id: integer('id').primaryKey() });
  const things = pgTable('things', { owner: integer('owner').references(() => owners.id) });
  const written = await generateMigration(generateDrizzleJson({}), generateDrizzleJson({ owners, things }));
  const sql = written.join('\n');
  expect(sql).toContain('REFERENCES "public"."owners"("id")');
  const finished = unqualifiedMigration(sql);
  expect(finished).toContain('REFERENCES "owners"("id")');
  expect(finished).toBe(sql.replace('"public".', ''));
  expect(unqualifiedMigration(finished)).toBe(finished);
});

test('any other mention of that schema is refused', () => {
  expect(() => unqualifiedMigration('CREATE TYPE "public"."kind" AS ENUM (\'a\');')).toThrow('CREATE TYPE');
});
