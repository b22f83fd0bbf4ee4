import { createRequire } from 'node:module';

// Drizzle's CommonJS build, loaded here only. Its other build has 250 modules, and for each of them Node parses the package.json of 180
// kB, which costs every process half a second. See docs/decisions/0003-queries-and-migrations.md.

const require = createRequire(import.meta.url);

export const {
  and,
  asc,
  between,
  count,
  desc,
  eq,
  fillPlaceholders,
  getTableColumns,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  max,
  ne,
  notExists,
  notInArray,
  or,
  SQL,
  sql,
} = require('drizzle-orm') as typeof import('drizzle-orm');

export const {
  bigint,
  boolean,
  check,
  customType,
  foreignKey,
  index,
  integer,
  PgDialect,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} = require('drizzle-orm/pg-core') as typeof import('drizzle-orm/pg-core');

export const { drizzle, NodePgDatabase, NodePgSession } =
  require('drizzle-orm/node-postgres') as typeof import('drizzle-orm/node-postgres');

export const { migrate } =
  require('drizzle-orm/node-postgres/migrator') as typeof import('drizzle-orm/node-postgres/migrator');

export const { readMigrationFiles } =
  require('drizzle-orm/migrator') as typeof import('drizzle-orm/migrator');
