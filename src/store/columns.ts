import { bigint, customType, timestamp } from './drizzle.ts';

/** Raw bytes (PostgreSQL `bytea`). */
export const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value),
});

/** An instant with millisecond precision. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Integer micro-USD. */
export const microUsd = (name: string) => bigint(name, { mode: 'bigint' });
