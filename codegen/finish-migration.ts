import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unqualifiedMigration } from './unqualified-migration.ts';

// Runs after drizzle-kit, on the migration that it has written last in the folder that is the argument.

const [, , folder = ''] = process.argv;
const latest = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .sort()
  .at(-1);
if (latest === undefined) throw new Error('there is no migration');
const file = join(folder, latest);
writeFileSync(file, unqualifiedMigration(readFileSync(file, 'utf8')));
