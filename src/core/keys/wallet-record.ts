import { createBase58Encoder } from './base58.ts';
import { PUBLIC_KEY_BYTES, SECRET_KEY_BYTES } from './engine.ts';
import { MAX_MNEMONIC_BYTES } from './mnemonic.ts';

/** `jsonl`: an object per line. `csv`: RFC 4180 with a header. `json`: objects that the caller joins. */
export type RecordFormat = 'jsonl' | 'csv' | 'json';

/** A client wallet: its key pair and, if any, its mnemonic as ASCII bytes and its path. */
export type WalletRecord = {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
  readonly mnemonic?: Uint8Array | undefined;
  readonly path?: string | undefined;
};

/** Writes records one after another into memory of its own, as the bytes that a client gets. */
export type RecordWriter = {
  readonly write: (record: WalletRecord) => void;
  /** Writes text around records, in ASCII: at most `frameBytes` in all. */
  readonly writeFrame: (text: string) => void;
  /** Returns the written bytes, as a view of the memory, which belongs to the caller from now on. */
  readonly take: () => Uint8Array<ArrayBuffer>;
  /** Overwrites the written bytes, and the scratch memory, which may hold the last secret key. */
  readonly wipe: () => void;
};

/** The capacity of a writer. `createdAt` is the same text in every record. */
export type RecordRoom = {
  readonly records: number;
  readonly createdAt: string;
  readonly hasMnemonics: boolean;
  readonly frameBytes?: number;
};

export const CSV_HEADER = 'address,custody,wallet_id,secret_key,mnemonic,derivation_path,created_at\r\n';
/** m/44'/501'/2147483647'/2147483647' */
const MAX_PATH_BYTES = 34;
/** The member names and punctuation of a record in JSON, the longer form: 110 bytes. */
const MEMBER_BYTES = 128;
const BASE58_BYTES = 44 + 88;
const encoder = new TextEncoder();

const addressDigits = createBase58Encoder(PUBLIC_KEY_BYTES);
const secretDigits = createBase58Encoder(SECRET_KEY_BYTES);

/** Creates a writer with memory for at most `records` records; those of a batch without mnemonics take much less. */
export function createRecordWriter(
  format: RecordFormat,
  { records, createdAt, hasMnemonics, frameBytes = 0 }: RecordRoom,
): RecordWriter {
  const recordBytes =
    MEMBER_BYTES + BASE58_BYTES + MAX_PATH_BYTES + createdAt.length + (hasMnemonics ? MAX_MNEMONIC_BYTES : 0);
  const bytes = new Uint8Array(records * recordBytes + frameBytes);
  const texts = format === 'csv' ? csvTexts(createdAt) : jsonTexts(createdAt, format);
  let end = 0;
  const put = (text: Uint8Array): void => {
    bytes.set(text, end);
    end += text.length;
  };
  const putAscii = (text: string): void => {
    for (let at = 0; at < text.length; at += 1) bytes[end++] = text.charCodeAt(at);
  };
  return {
    write({ publicKey, secretKey, mnemonic, path }) {
      put(texts.address);
      end = addressDigits.writeInto(bytes, end, publicKey);
      put(texts.secretKey);
      end = secretDigits.writeInto(bytes, end, secretKey);
      put(mnemonic === undefined ? texts.noMnemonic : texts.mnemonic);
      if (mnemonic !== undefined) put(mnemonic);
      put(path === undefined ? texts.noPath : texts.path);
      if (path !== undefined) putAscii(path);
      put(texts.createdAt);
    },
    writeFrame: putAscii,
    take() {
      addressDigits.wipe();
      secretDigits.wipe();
      return bytes.subarray(0, end);
    },
    wipe() {
      addressDigits.wipe();
      secretDigits.wipe();
      bytes.fill(0);
    },
  };
}

/** The text before each member of a record; no value needs escaping in JSON or quotes in CSV. */
type Texts = Readonly<
  Record<'address' | 'secretKey' | 'mnemonic' | 'noMnemonic' | 'path' | 'noPath' | 'createdAt', Uint8Array>
>;

function jsonTexts(createdAt: string, format: RecordFormat): Texts {
  return encoded({
    address: '{"address":"',
    secretKey: '","custody":"client","secret_key":"',
    mnemonic: '","mnemonic":"',
    noMnemonic: '',
    path: '","derivation_path":"',
    noPath: '',
    createdAt: `","created_at":"${createdAt}"}${format === 'jsonl' ? '\n' : ''}`,
  });
}

function csvTexts(createdAt: string): Texts {
  return encoded({
    address: '',
    secretKey: ',client,,',
    mnemonic: ',',
    noMnemonic: ',',
    path: ',',
    noPath: ',',
    createdAt: `,${createdAt}\r\n`,
  });
}

function encoded(texts: Readonly<Record<keyof Texts, string>>): Texts {
  return {
    address: encoder.encode(texts.address),
    secretKey: encoder.encode(texts.secretKey),
    mnemonic: encoder.encode(texts.mnemonic),
    noMnemonic: encoder.encode(texts.noMnemonic),
    path: encoder.encode(texts.path),
    noPath: encoder.encode(texts.noPath),
    createdAt: encoder.encode(texts.createdAt),
  };
}
