import { encodeBase64 } from '../../bytes/base64.ts';
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ReadForm } from './instruction-form.ts';

/** Instructions of loader-v2 (bincode). */
export const readLoaderForm: ReadForm = (reader) => reader.oneOf(reader.u32(), LOADER_FORMS)(reader);

/** Instructions of the upgradeable loader, loader-v3 (bincode). */
export const readUpgradeableLoaderForm: ReadForm = (reader) =>
  reader.oneOf(reader.u32(), UPGRADEABLE_LOADER_FORMS)(reader);

const LOADER_FORMS: readonly ReadForm[] = [
  (reader) => ({ type: 'write', accounts: ['account'], info: readWrite(reader) }),
  () => ({ type: 'finalize', accounts: ['account'], minimum: 2 }),
];

const UPGRADEABLE_LOADER_FORMS: readonly ReadForm[] = [
  () => ({ type: 'initializeBuffer', accounts: ['account'], optional: ['authority'] }),
  (reader) => ({ type: 'write', accounts: ['account', 'authority'], info: readWrite(reader) }),
  (reader) => ({
    type: 'deployWithMaxDataLen',
    accounts: [
      'payerAccount',
      'programDataAccount',
      'programAccount',
      'bufferAccount',
      'rentSysvar',
      'clockSysvar',
      'systemProgram',
      'authority',
    ],
    info: { maxDataLen: reader.u64() },
  }),
  () => ({
    type: 'upgrade',
    accounts: [
      'programDataAccount',
      'programAccount',
      'bufferAccount',
      'spillAccount',
      'rentSysvar',
      'clockSysvar',
      'authority',
    ],
  }),
  () => ({ type: 'setAuthority', accounts: ['account', 'authority'], nullable: ['newAuthority'] }),
  () => ({ type: 'close', accounts: ['account', 'recipient', 'authority'], nullable: ['programAccount'] }),
  (reader) => ({
    type: 'extendProgram',
    accounts: ['programDataAccount', 'programAccount'],
    nullable: ['systemProgram', 'payerAccount'],
    info: { additionalBytes: reader.u32() },
  }),
  () => ({ type: 'setAuthorityChecked', accounts: ['account', 'authority', 'newAuthority'] }),
];

function readWrite(reader: ByteReader) {
  const offset = reader.u32();
  return { offset, bytes: encodeBase64(reader.bytes(reader.length(reader.u64()))) };
}
