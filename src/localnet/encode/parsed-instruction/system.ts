import type { InstructionForm, ReadForm } from './instruction-form.ts';

/** Instructions of the system program (bincode, solana-system-interface `SystemInstruction`). */
export const readSystemForm: ReadForm = (reader) => reader.oneOf(reader.u32(), FORMS)(reader);

const FORMS: readonly ReadForm[] = [
  (reader) => ({
    type: 'createAccount',
    accounts: ['source', 'newAccount'],
    info: { lamports: reader.u64(), space: reader.u64(), owner: reader.address() },
  }),
  (reader) => ({ type: 'assign', accounts: ['account'], info: { owner: reader.address() } }),
  (reader) => ({ type: 'transfer', accounts: ['source', 'destination'], info: { lamports: reader.u64() } }),
  (reader) => ({
    type: 'createAccountWithSeed',
    accounts: ['source', 'newAccount'],
    info: {
      base: reader.address(),
      seed: reader.longText(),
      lamports: reader.u64(),
      space: reader.u64(),
      owner: reader.address(),
    },
  }),
  () => ({ type: 'advanceNonce', accounts: ['nonceAccount', 'recentBlockhashesSysvar', 'nonceAuthority'] }),
  (reader) => ({
    type: 'withdrawFromNonce',
    accounts: ['nonceAccount', 'destination', 'recentBlockhashesSysvar', 'rentSysvar', 'nonceAuthority'],
    info: { lamports: reader.u64() },
  }),
  (reader) => ({
    type: 'initializeNonce',
    accounts: ['nonceAccount', 'recentBlockhashesSysvar', 'rentSysvar'],
    info: { nonceAuthority: reader.address() },
  }),
  (reader) => ({
    type: 'authorizeNonce',
    accounts: ['nonceAccount', 'nonceAuthority'],
    info: { newAuthorized: reader.address() },
  }),
  (reader) => ({ type: 'allocate', accounts: ['account'], info: { space: reader.u64() } }),
  // The base signs as the second account but is named by the data.
  (reader) => ({
    type: 'allocateWithSeed',
    ...WITH_BASE,
    info: { base: reader.address(), seed: reader.longText(), space: reader.u64(), owner: reader.address() },
  }),
  (reader) => ({
    type: 'assignWithSeed',
    ...WITH_BASE,
    info: { base: reader.address(), seed: reader.longText(), owner: reader.address() },
  }),
  (reader) => ({
    type: 'transferWithSeed',
    accounts: ['source', 'sourceBase', 'destination'],
    info: { lamports: reader.u64(), sourceSeed: reader.longText(), sourceOwner: reader.address() },
  }),
  () => ({ type: 'upgradeNonce', accounts: ['nonceAccount'] }),
  (reader) => createAccountAllowPrefund(reader.u64(), { space: reader.u64(), owner: reader.address() }),
];

const WITH_BASE = { accounts: ['account'], minimum: 2 } as const;

/** With nothing to pay there is no payer; it is then not shown even if present. */
function createAccountAllowPrefund(
  lamports: bigint,
  info: { space: bigint; owner: string },
): InstructionForm {
  const type = 'createAccountAllowPrefund';
  if (lamports === 0n) return { type, accounts: ['newAccount'], info };
  return { type, accounts: ['newAccount', 'source'], info: { lamports, ...info } };
}
