import type { ReadForm } from './instruction-form.ts';

/** Instructions of the address lookup table program (bincode). */
export const readLookupTableForm: ReadForm = (reader) => reader.oneOf(reader.u32(), FORMS)(reader);

const TABLE = ['lookupTableAccount', 'lookupTableAuthority'];

const FORMS: readonly ReadForm[] = [
  (reader) => ({
    type: 'createLookupTable',
    accounts: [...TABLE, 'payerAccount', 'systemProgram'],
    info: { recentSlot: reader.u64(), bumpSeed: reader.u8() },
  }),
  () => ({ type: 'freezeLookupTable', accounts: TABLE }),
  (reader) => ({
    type: 'extendLookupTable',
    accounts: TABLE,
    optional: ['payerAccount', 'systemProgram'],
    info: { newAddresses: reader.list(reader.u64(), () => reader.address()) },
  }),
  () => ({ type: 'deactivateLookupTable', accounts: TABLE }),
  () => ({ type: 'closeLookupTable', accounts: [...TABLE, 'recipient'] }),
];
