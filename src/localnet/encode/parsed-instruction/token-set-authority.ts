import type { ReadForm } from './instruction-form.ts';

/** setAuthority of SPL Token and Token-2022; the kind of authority determines the role of the first account. */
export const readSetAuthorityForm: ReadForm = (reader) => {
  const authorityType = reader.oneOf(reader.u8(), AUTHORITY_TYPES);
  const newAuthority = reader.option(() => reader.address());
  return {
    type: 'setAuthority',
    accounts: [OF_ACCOUNTS.has(authorityType) ? 'account' : 'mint'],
    authority: ['authority', 'multisigAuthority'],
    info: { authorityType, newAuthority },
  };
};

const OF_ACCOUNTS: ReadonlySet<string> = new Set(['accountOwner', 'closeAccount']);

const AUTHORITY_TYPES = [
  'mintTokens',
  'freezeAccount',
  'accountOwner',
  'closeAccount',
  'transferFeeConfig',
  'withheldWithdraw',
  'closeMint',
  'interestRate',
  'permanentDelegate',
  'confidentialTransferMint',
  'transferHookProgramId',
  'confidentialTransferFeeConfig',
  'metadataPointer',
  'groupPointer',
  'groupMemberPointer',
  'scaledUiAmount',
  'pause',
  'permissionedBurn',
];
