import type { ChildKey, KeyOwner, MadeKey, Resealed, SealedKey } from '../hsm/hsm.ts';
import type { ChildPosition, KeyOrigin, RecordPage } from '../tombstones/tombstones.ts';
import { type ByteReader, ProtocolError } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import {
  MAX_FINGERPRINT_BYTES,
  MAX_ID_BYTES,
  MAX_ITEMS,
  MAX_MESSAGE_BYTES,
  MAX_SEALED_BYTES,
  MAX_TEXT_BYTES,
} from '../limits.ts';
import { FINGERPRINT_BYTES } from '../tombstones/fingerprint-set.ts';

/** Writes one kind of value into a frame and reads it back. */
export type Codec<T> = {
  readonly write: (writer: ByteWriter, value: T) => void;
  readonly read: (reader: ByteReader) => T;
};

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const MAX_INDEX = 0x7fff_ffff;

export const nothing: Codec<void> = { write: () => undefined, read: () => undefined };

export const text: Codec<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => reader.text(MAX_TEXT_BYTES),
};

const fixed = (length: number): Codec<Uint8Array> => ({
  write: (writer, value) => writer.fixed(value),
  read: (reader) => reader.fixed(length),
});

export const publicKey = fixed(PUBLIC_KEY_BYTES);
export const signature = fixed(SIGNATURE_BYTES);

/** A message to sign: 1 byte to 1 MiB. */
export const message: Codec<Uint8Array> = {
  write: (writer, value) => writer.bytes(value),
  read: (reader) => {
    const bytes = reader.bytes(MAX_MESSAGE_BYTES);
    if (bytes.length === 0) throw new ProtocolError('an empty message');
    return bytes;
  },
};

const id: Codec<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => {
    const value = reader.text(MAX_ID_BYTES);
    if (value === '') throw new ProtocolError('an empty id');
    return value;
  },
};

export const sealed: Codec<Uint8Array> = {
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.bytes(MAX_SEALED_BYTES),
};

const index: Codec<number> = {
  write: (writer, value) => writer.u32(value),
  read: (reader) => {
    const value = reader.u32();
    if (value > MAX_INDEX) throw new ProtocolError('an index above 2^31-1');
    return value;
  },
};

export const owner: Codec<KeyOwner> = {
  write: (writer, { walletId, accountId }) => {
    id.write(writer, walletId);
    id.write(writer, accountId);
  },
  read: (reader) => ({ walletId: id.read(reader), accountId: id.read(reader) }),
};

export const sealedKey: Codec<SealedKey> = {
  write: (writer, value) => {
    owner.write(writer, value);
    sealed.write(writer, value.sealed);
  },
  read: (reader) => ({ ...owner.read(reader), sealed: sealed.read(reader) }),
};

export const madeKey: Codec<MadeKey> = {
  write: (writer, value) => {
    publicKey.write(writer, value.publicKey);
    sealed.write(writer, value.sealed);
  },
  read: (reader) => ({ publicKey: publicKey.read(reader), sealed: sealed.read(reader) }),
};

export const madeOrDestroyed: Codec<MadeKey | 'destroyed'> = {
  write: (writer, value) => {
    writer.u8(value === 'destroyed' ? 0 : 1);
    if (value !== 'destroyed') madeKey.write(writer, value);
  },
  read: (reader) => (reader.u8() === 0 ? 'destroyed' : madeKey.read(reader)),
};

export const childKey: Codec<ChildKey> = {
  write: (writer, value) => {
    owner.write(writer, value.owner);
    index.write(writer, value.x);
    index.write(writer, value.y);
  },
  read: (reader) => ({ owner: owner.read(reader), x: index.read(reader), y: index.read(reader) }),
};

const childPosition: Codec<ChildPosition> = {
  write: (writer, { masterWalletId, x, y }) => {
    id.write(writer, masterWalletId);
    index.write(writer, x);
    index.write(writer, y);
  },
  read: (reader) => ({ masterWalletId: id.read(reader), x: index.read(reader), y: index.read(reader) }),
};

const RESEALED = ['resealed', 'current', 'destroyed'] as const;

export const resealed: Codec<Resealed> = {
  write: (writer, value) => {
    writer.u8(RESEALED.indexOf(value.kind));
    if (value.kind === 'resealed') sealed.write(writer, value.sealed);
  },
  read: (reader) => {
    const kind = RESEALED[reader.u8()];
    if (kind === undefined) throw new ProtocolError('an unknown outcome of sealing');
    return kind === 'resealed' ? { kind, sealed: sealed.read(reader) } : { kind };
  },
};

/** A list of up to 128 items. */
export const listOf = <T>({ write, read }: Codec<T>): Codec<readonly T[]> => ({
  write: (writer, items) => writer.list(items, write),
  read: (reader) => reader.list(MAX_ITEMS, read),
});

export const optional = <T>({ write, read }: Codec<T>): Codec<T | undefined> => ({
  write: (writer, value) => {
    writer.u8(value === undefined ? 0 : 1);
    if (value !== undefined) write(writer, value);
  },
  read: (reader) => (reader.u8() === 0 ? undefined : read(reader)),
});

export const optionalChild = optional(childPosition);

export const origin: Codec<KeyOrigin> = {
  write: (writer, { walletId, derivedFrom }) => {
    id.write(writer, walletId);
    optionalChild.write(writer, derivedFrom);
  },
  read: (reader) => ({ walletId: id.read(reader), derivedFrom: optionalChild.read(reader) }),
};

export const flag: Codec<boolean> = {
  write: (writer, value) => writer.u8(value ? 1 : 0),
  read: (reader) => reader.u8() === 1,
};

/** The members of an object, in the given order. */
export const record = <T extends object>(members: { readonly [K in keyof T]: Codec<T[K]> }): Codec<T> => {
  const names = Object.keys(members) as (keyof T)[];
  return {
    write: (writer, value) => {
      for (const name of names) members[name].write(writer, value[name]);
    },
    read: (reader) => Object.fromEntries(names.map((name) => [name, members[name].read(reader)])) as T,
  };
};

export const count: Codec<number> = {
  write: (writer, value) => void writer.u32(value),
  read: (reader) => reader.u32(),
};

/** Up to 4,096 concatenated fingerprints. */
export const fingerprints: Codec<Buffer> = {
  write: (writer, value) => void writer.bytes(value),
  read: (reader) => {
    const value = reader.bytes(MAX_FINGERPRINT_BYTES);
    if (value.length % FINGERPRINT_BYTES !== 0) throw new ProtocolError('an incomplete fingerprint');
    return value;
  },
};

export const recordPage: Codec<RecordPage> = record({
  count,
  hash: fixed(32),
  isAdopted: flag,
  fingerprints,
});
