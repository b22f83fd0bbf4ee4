import type { ByteReader } from '../../bytes/byte-reader.ts';
import { tokenAmount } from '../token-amount.ts';
import { ifAny, type InstructionForm, type ReadForm } from './instruction-form.ts';
import { EXTENSION_FORMS, readExtensionTypes } from './token-2022.ts';

/** setAuthority of SPL Token and Token-2022; the kind of authority determines the role of the first account. */
const readSetAuthorityForm: ReadForm = (reader) => {
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

/** Instructions of SPL Token and Token-2022: a byte for the type, then the arguments. */
export const readTokenForm: ReadForm = (reader) => {
  const type = reader.u8();
  const read = FORMS[type] ?? EXTENSION_FORMS.get(type) ?? reader.reject();
  return read(reader);
};

const OWNER = ['owner', 'multisigOwner'] as const;
const AUTHORITY = ['authority', 'multisigAuthority'] as const;
const MINT_AUTHORITY = ['mintAuthority', 'multisigMintAuthority'] as const;
const FREEZE_AUTHORITY = ['freezeAuthority', 'multisigFreezeAuthority'] as const;

const FORMS: readonly ReadForm[] = [
  (reader) => ({ type: 'initializeMint', accounts: ['mint', 'rentSysvar'], info: readMintTerms(reader) }),
  () => ({ type: 'initializeAccount', accounts: ['account', 'mint', 'owner', 'rentSysvar'] }),
  (reader) => multisigForm('initializeMultisig', ['multisig', 'rentSysvar'], reader),
  (reader) => ({
    type: 'transfer',
    accounts: ['source', 'destination'],
    authority: AUTHORITY,
    info: readAmount(reader),
  }),
  (reader) => ({
    type: 'approve',
    accounts: ['source', 'delegate'],
    authority: OWNER,
    info: readAmount(reader),
  }),
  () => ({ type: 'revoke', accounts: ['source'], authority: OWNER }),
  readSetAuthorityForm,
  (reader) => ({
    type: 'mintTo',
    accounts: ['mint', 'account'],
    authority: MINT_AUTHORITY,
    info: readAmount(reader),
  }),
  (reader) => ({
    type: 'burn',
    accounts: ['account', 'mint'],
    authority: AUTHORITY,
    info: readAmount(reader),
  }),
  () => ({ type: 'closeAccount', accounts: ['account', 'destination'], authority: OWNER }),
  () => ({ type: 'freezeAccount', accounts: ['account', 'mint'], authority: FREEZE_AUTHORITY }),
  () => ({ type: 'thawAccount', accounts: ['account', 'mint'], authority: FREEZE_AUTHORITY }),
  (reader) => ({
    type: 'transferChecked',
    accounts: ['source', 'mint', 'destination'],
    authority: AUTHORITY,
    info: readTokenAmount(reader),
  }),
  (reader) => ({
    type: 'approveChecked',
    accounts: ['source', 'mint', 'delegate'],
    authority: OWNER,
    info: readTokenAmount(reader),
  }),
  (reader) => ({
    type: 'mintToChecked',
    accounts: ['mint', 'account'],
    authority: MINT_AUTHORITY,
    info: readTokenAmount(reader),
  }),
  (reader) => ({
    type: 'burnChecked',
    accounts: ['account', 'mint'],
    authority: AUTHORITY,
    info: readTokenAmount(reader),
  }),
  (reader) => ({
    type: 'initializeAccount2',
    accounts: ['account', 'mint', 'rentSysvar'],
    info: { owner: reader.address() },
  }),
  () => ({ type: 'syncNative', accounts: ['account'] }),
  (reader) => ({
    type: 'initializeAccount3',
    accounts: ['account', 'mint'],
    info: { owner: reader.address() },
  }),
  (reader) => multisigForm('initializeMultisig2', ['multisig'], reader),
  (reader) => ({ type: 'initializeMint2', accounts: ['mint'], info: readMintTerms(reader) }),
  (reader) => ({
    type: 'getAccountDataSize',
    accounts: ['mint'],
    info: reader.left === 0 ? {} : { extensionTypes: readExtensionTypes(reader) },
  }),
  () => ({ type: 'initializeImmutableOwner', accounts: ['account'] }),
  (reader) => ({ type: 'amountToUiAmount', accounts: ['mint'], info: readAmount(reader) }),
  (reader) => ({
    type: 'uiAmountToAmount',
    accounts: ['mint'],
    info: { uiAmount: reader.text(reader.left) },
  }),
];

function multisigForm(type: string, accounts: readonly string[], reader: ByteReader): InstructionForm {
  return {
    type,
    accounts,
    minimum: accounts.length + 1,
    list: { name: 'signers' },
    info: { m: reader.u8() },
  };
}

function readMintTerms(reader: ByteReader) {
  const decimals = reader.u8();
  const mintAuthority = reader.address();
  const freezeAuthority = reader.option(() => reader.address());
  return { decimals, mintAuthority, ...ifAny('freezeAuthority', freezeAuthority) };
}

function readAmount(reader: ByteReader) {
  return { amount: reader.u64().toString() };
}

function readTokenAmount(reader: ByteReader) {
  const amount = reader.u64();
  return { tokenAmount: tokenAmount(amount, reader.u8()) };
}
