import {
  type AuditChange,
  type AuditCharge,
  changeMembers,
  chargeMembers,
} from '../../runtime/audit-bytes.ts';
import { bigint, customType, timestamp } from './drizzle.ts';

type ChargeMembers = readonly [
  ...[operation: string, units: number, month: string, amount: number],
  ...[standard?: number, volume?: number, volumeThreshold?: number],
];

const readCharge = ([operation, units, month, amount, ...prices]: ChargeMembers): AuditCharge => {
  const [standard, volume, volumeThreshold] = prices;
  const charge = { operation, units, month, amount };
  if (standard === undefined || volume === undefined || volumeThreshold === undefined) return charge;
  return { ...charge, prices: { standard, volume, volumeThreshold } };
};

/** Raw bytes (PostgreSQL `bytea`). */
export const bytes = customType<{ data: Uint8Array; driverData: Buffer }>({
  dataType: () => 'bytea',
  toDriver: (value) => Buffer.from(value),
});

/** An instant with millisecond precision. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Charges in the form of an audit record: its hash covers this text. */
export const charges = customType<{ data: readonly AuditCharge[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value.map(chargeMembers)),
  fromDriver: (text) => (JSON.parse(text) as readonly ChargeMembers[]).map(readCharge),
});

/** Changes in the form of an audit record: its hash covers this text. */
export const changes = customType<{ data: readonly AuditChange[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: (value) => JSON.stringify(value.map(changeMembers)),
  fromDriver: (text) =>
    (JSON.parse(text) as readonly ReturnType<typeof changeMembers>[]).map(([member, before, after]) => ({
      member,
      before,
      after,
    })),
});

/** Integer micro-USD. */
export const microUsd = (name: string) => bigint(name, { mode: 'bigint' });
