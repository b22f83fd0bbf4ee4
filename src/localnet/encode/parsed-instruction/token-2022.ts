import type { ByteReader } from '../../bytes/byte-reader.ts';
import { shortestText } from '../float-text.ts';
import { EXTENSION_TYPE_NAMES, TOKEN_ACCOUNT_STATES } from '../token-layout.ts';
import { ifAny, type Info, type ReadForm } from './instruction-form.ts';
import { readTransferFeeForm } from './token-transfer-fee.ts';

const AUTHORITY = ['authority', 'multisigAuthority'] as const;
const OWNER = ['owner', 'multisigOwner'] as const;
const FREEZE_AUTHORITY = ['freezeAuthority', 'multisigFreezeAuthority'] as const;

/** Instructions that Token-2022 added, by type byte; most have a second byte for the action. */
export const EXTENSION_FORMS: ReadonlyMap<number, ReadForm> = new Map<number, ReadForm>([
  [
    25,
    (r) => ({ type: 'initializeMintCloseAuthority', accounts: ['mint'], info: { newAuthority: option(r) } }),
  ],
  [26, readTransferFeeForm],
  [28, (r) => r.oneOf(r.u8(), DEFAULT_ACCOUNT_STATE)(r)],
  [
    29,
    (r) => ({
      type: 'reallocate',
      accounts: ['account', 'payer', 'systemProgram'],
      authority: OWNER,
      info: { extensionTypes: readExtensionTypes(r) },
    }),
  ],
  [30, readSwitch('RequiredMemoTransfers')],
  [31, () => ({ type: 'createNativeMint', accounts: ['payer', 'nativeMint', 'systemProgram'] })],
  [32, () => ({ type: 'initializeNonTransferableMint', accounts: ['mint'] })],
  [33, (r) => r.oneOf(r.u8(), INTEREST_BEARING)(r)],
  [34, readSwitch('CpiGuard')],
  [35, (r) => ({ type: 'initializePermanentDelegate', accounts: ['mint'], info: { delegate: r.address() } })],
  [36, readPointer('TransferHook', 'programId')],
  [38, () => ({ type: 'withdrawExcessLamports', accounts: ['source', 'destination'], authority: AUTHORITY })],
  [39, readPointer('MetadataPointer', 'metadataAddress')],
  [40, readPointer('GroupPointer', 'groupAddress')],
  [41, readPointer('GroupMemberPointer', 'memberAddress')],
  [43, (r) => r.oneOf(r.u8(), SCALED_UI_AMOUNT)(r)],
  [44, (r) => r.oneOf(r.u8(), PAUSABLE)(r)],
  [
    45,
    (r) => ({
      type: 'unwrapLamports',
      accounts: ['source', 'destination'],
      authority: AUTHORITY,
      info: ifAny(
        'amount',
        r.option(() => r.u64().toString()),
      ),
    }),
  ],
]);

/** Reads the names of the extension types that fill the rest of the data, two bytes each. */
export function readExtensionTypes(reader: ByteReader): string[] {
  return reader.list(Math.ceil(reader.left / 2), () => reader.oneOf(reader.u16(), EXTENSION_TYPE_NAMES));
}

const DEFAULT_ACCOUNT_STATE: readonly ReadForm[] = [
  (r) => ({ type: 'initializeDefaultAccountState', accounts: ['mint'], info: readAccountState(r) }),
  (r) => ({
    type: 'updateDefaultAccountState',
    accounts: ['mint'],
    authority: FREEZE_AUTHORITY,
    info: readAccountState(r),
  }),
];

const INTEREST_BEARING: readonly ReadForm[] = [
  (r) => ({
    type: 'initializeInterestBearingConfig',
    accounts: ['mint'],
    info: filled(r, { rateAuthority: r.nonZeroAddress(), rate: r.i16() }),
  }),
  (r) => ({
    type: 'updateInterestBearingConfigRate',
    accounts: ['mint'],
    authority: ['rateAuthority', 'multisigRateAuthority'],
    info: filled(r, { newRate: r.i16() }),
  }),
];

const SCALED_UI_AMOUNT: readonly ReadForm[] = [
  (r) => ({
    type: 'initializeScaledUiAmountConfig',
    accounts: ['mint'],
    info: filled(r, { authority: r.nonZeroAddress(), multiplier: shortestText(r.f64()) }),
  }),
  (r) => ({
    type: 'updateMultiplier',
    accounts: ['mint'],
    authority: AUTHORITY,
    info: filled(r, { newMultiplier: shortestText(r.f64()), newMultiplierTimestamp: r.i64() }),
  }),
];

const PAUSABLE: readonly ReadForm[] = [
  (r) => ({
    type: 'initializePausableConfig',
    accounts: ['mint'],
    info: filled(r, { authority: r.nonZeroAddress() }),
  }),
  () => ({ type: 'pause', accounts: ['mint'], authority: AUTHORITY }),
  () => ({ type: 'resume', accounts: ['mint'], authority: AUTHORITY }),
];

/** A feature that is enabled (0) or disabled (1) for an account. */
function readSwitch(subject: string): ReadForm {
  return (reader) => {
    const verb = reader.oneOf(reader.u8(), ['enable', 'disable']);
    return { type: `${verb}${subject}`, accounts: ['account'], authority: OWNER };
  };
}

/** An address stored with a mint that is initialized (0) with its authority or updated (1). */
function readPointer(subject: string, member: string): ReadForm {
  const forms: readonly ReadForm[] = [
    (r) => ({
      type: `initialize${subject}`,
      accounts: ['mint'],
      info: filled(r, { ...ifAny('authority', r.nonZeroAddress()), ...ifAny(member, r.nonZeroAddress()) }),
    }),
    (r) => ({
      type: `update${subject}`,
      accounts: ['mint'],
      authority: AUTHORITY,
      info: filled(r, ifAny(member, r.nonZeroAddress())),
    }),
  ];
  return (reader) => reader.oneOf(reader.u8(), forms)(reader);
}

function readAccountState(reader: ByteReader) {
  return filled(reader, { accountState: reader.oneOf(reader.u8(), TOKEN_ACCOUNT_STATES) });
}

function option(reader: ByteReader): string | null {
  return reader.option(() => reader.address());
}

/** Returns the info if the data ends after it. */
function filled(reader: ByteReader, info: Info): Info {
  reader.end();
  return info;
}
