import type { ByteReader } from '../../bytes/byte-reader.ts';
import { ifAny, type ReadForm } from './instruction-form.ts';

/** Instructions of the token metadata and token group interfaces, identified by their first eight bytes. */
export const readTokenInterfaceForm: ReadForm = (reader) => {
  const read = FORMS.get(Buffer.from(reader.bytes(8)).toString('hex')) ?? reader.reject();
  return read(reader);
};

const METADATA = ['metadata', 'updateAuthority'];
const GROUP = ['group', 'updateAuthority'];

const FORMS: ReadonlyMap<string, ReadForm> = new Map<string, ReadForm>([
  [
    'd2e11ea258b84d8d',
    (reader) => ({
      type: 'initializeTokenMetadata',
      accounts: [...METADATA, 'mint', 'mintAuthority'],
      info: { name: reader.shortText(), symbol: reader.shortText(), uri: reader.shortText() },
    }),
  ],
  [
    'dde9312db5cadcc8',
    (reader) => ({
      type: 'updateTokenMetadataField',
      accounts: METADATA,
      info: { field: readField(reader), value: reader.shortText() },
    }),
  ],
  [
    'ea122038598d25b5',
    (reader) => ({
      type: 'removeTokenMetadataKey',
      accounts: METADATA,
      info: { idempotent: reader.bool(), key: reader.shortText() },
    }),
  ],
  [
    'd7e4a6e45464567b',
    (reader) => ({
      type: 'updateTokenMetadataAuthority',
      accounts: METADATA,
      info: { newAuthority: reader.nonZeroAddress() },
    }),
  ],
  [
    'faa6b4fa0d0cb846',
    (reader) => ({ type: 'emitTokenMetadata', accounts: ['metadata'], info: readRange(reader) }),
  ],
  [
    '79716c2736330004',
    (reader) => ({
      type: 'initializeTokenGroup',
      accounts: ['group', 'mint', 'mintAuthority'],
      info: { updateAuthority: reader.nonZeroAddress(), maxSize: reader.u64() },
    }),
  ],
  [
    '6c25ab8ff81e126e',
    (reader) => ({ type: 'updateTokenGroupMaxSize', accounts: GROUP, info: { maxSize: reader.u64() } }),
  ],
  [
    'a1695801edddd8cb',
    (reader) => ({
      type: 'updateTokenGroupAuthority',
      accounts: GROUP,
      info: { newAuthority: reader.nonZeroAddress() },
    }),
  ],
  [
    '9820deb0dfed7486',
    () => ({
      type: 'initializeTokenGroupMember',
      accounts: ['member', 'memberMint', 'memberMintAuthority', 'group', 'groupUpdateAuthority'],
    }),
  ],
]);

/** One of three known fields, or a custom key. */
function readField(reader: ByteReader): string {
  const kind = reader.oneOf(reader.u8(), ['name', 'symbol', 'uri', 'key']);
  return kind === 'key' ? reader.shortText() : kind;
}

function readRange(reader: ByteReader) {
  const start = reader.option(() => reader.u64());
  return {
    ...ifAny('start', start),
    ...ifAny(
      'end',
      reader.option(() => reader.u64()),
    ),
  };
}
