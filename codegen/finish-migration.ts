import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unqualifiedMigration } from './unqualified-migration.ts';

// Run it after drizzle-kit; the argument is the folder whose last migration it finishes.

const [, , folder = ''] = process.argv;
const latest = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .at(-1);
if (latest === undefined) throw new Error('there is no migration in the folder');
const file = join(folder, latest);
writeFileSync(file, unqualifiedMigration(readFileSync(file, 'utf8')));
