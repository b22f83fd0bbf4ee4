import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import sodium from 'sodium-native';
import { keyFailure } from '../key-failure.ts';
import type { KeyOwner, SealedKey } from '../hsm.ts';
import { SEALED_FORMAT } from '../sealed-format.ts';
import { MASTER_KEY_ID_BYTES, type MasterKey, type MasterKeys } from './master-key.ts';
import { secretBuffer, wipe } from './secret.ts';

/** The sealed content: the seed of a key (32 bytes), or the master node of a tree (64 bytes: key, then chain code). */
export type SealedContent = 'seed' | 'masterNode';

const CONTENT: Readonly<Record<SealedContent, { readonly code: number; readonly sizeBytes: number }>> = {
  seed: { code: 1, sizeBytes: 32 },
  masterNode: { code: 2, sizeBytes: 64 },
};

/** The version of a wallet's key. An address is its public key, so there is never a second version. */
const KEY_VERSION = 1;
const ID_AT = 2;
const VERSION_AT = ID_AT + MASTER_KEY_ID_BYTES;
const SALT_AT = VERSION_AT + 2;
const NONCE_AT = SALT_AT + 16;
const TEXT_AT = NONCE_AT + 12;
const TAG_BYTES = 16;
const RECORD_LABEL = Buffer.from('keyslot record key, version 1');

export type Sealer = {
  readonly seal: (master: MasterKey, owner: KeyOwner, content: SealedContent, secret: Buffer) => Buffer;
  /** Passes the opened secret to `use` and wipes it after. @throws ServiceError `keyBackendFailed` if it does not open. */
  readonly open: <T>(
    masters: MasterKeys,
    key: SealedKey,
    use: (secret: Buffer, content: SealedContent) => T,
  ) => T;
};

/**
 * Seals secrets with AES-256-GCM, each under a key of its own: HMAC-SHA-512-256 of 16 random bytes under the master key. With the 12 random
 * bytes of the nonce, two seals of one master key collide only if 224 random bits do: for 2^48 seals the odds are 2^-129. The associated
 * data is the head of the record, the wallet's id and the account's id.
 *
 * Record: format, content, master key id (8), key version (2), salt (16), nonce (12), ciphertext, tag (16).
 */
export function createSealer(): Sealer {
  const recordKey = secretBuffer(32);
  const opened = secretBuffer(64);
  const overwriteFreed = createOverwrite();
  const deriveRecordKey = (master: MasterKey, head: Buffer): void =>
    sodium.crypto_auth(
      recordKey,
      Buffer.concat([RECORD_LABEL, head.subarray(SALT_AT, NONCE_AT)]),
      master.key,
    );

  return {
    seal: (master, owner, content, secret) => {
      const { code, sizeBytes } = CONTENT[content];
      const head = Buffer.alloc(TEXT_AT);
      sodium.randombytes_buf(head.subarray(SALT_AT));
      head[0] = SEALED_FORMAT.soft;
      head[1] = code;
      master.id.copy(head, ID_AT);
      head.writeUInt16BE(KEY_VERSION, VERSION_AT);
      deriveRecordKey(master, head);
      const cipher = createCipheriv('aes-256-gcm', recordKey, head.subarray(NONCE_AT));
      wipe(recordKey);
      cipher.setAAD(associatedData(head, owner));
      const text = cipher.update(secret.subarray(0, sizeBytes));
      cipher.final();
      return Buffer.concat([head, text, cipher.getAuthTag()]);
    },

    open: (masters, { sealed, ...owner }, use) => {
      const record = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
      const content = contentOf(record);
      const master = masterOf(masters, record);
      const head = record.subarray(0, TEXT_AT);
      deriveRecordKey(master, head);
      const decipher = createDecipheriv('aes-256-gcm', recordKey, head.subarray(NONCE_AT));
      wipe(recordKey);
      decipher.setAAD(associatedData(head, owner));
      decipher.setAuthTag(record.subarray(-TAG_BYTES));
      const text = decipher.update(record.subarray(TEXT_AT, -TAG_BYTES));
      overwriteFreed(text.length);
      try {
        assertAuthentic(decipher);
        return use(opened.subarray(0, text.copy(opened)), content);
      } finally {
        wipe(text);
        wipe(opened);
      }
    },
  };
}

/**
 * Overwrites the copy of a secret that Node leaves in memory: `update` computes into memory that is a byte larger, copies the result, and
 * frees the first copy as it is. The next `update` with the same size gets that memory, and fills it.
 */
function createOverwrite(): (sizeBytes: number) => void {
  const filler = createCipheriv('aes-256-ctr', randomBytes(32), randomBytes(16));
  const zeros = Buffer.alloc(64);
  return (sizeBytes) => void filler.update(zeros.subarray(0, sizeBytes));
}

/** Returns the id of the master key that a record is sealed under. @throws ServiceError `keyBackendFailed` if it is not a record. */
export function masterKeyIdOf(sealed: Uint8Array): Buffer {
  const record = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  contentOf(record);
  return record.subarray(ID_AT, VERSION_AT);
}

function contentOf(record: Buffer): SealedContent {
  if (record[0] !== SEALED_FORMAT.soft)
    throw keyFailure('the sealed key is of a format that hsm.kind soft does not write');
  for (const content of ['seed', 'masterNode'] as const) {
    const { code, sizeBytes } = CONTENT[content];
    if (record[1] === code && record.length === TEXT_AT + sizeBytes + TAG_BYTES) return content;
  }
  throw keyFailure('the sealed key is cut or was changed');
}

function masterOf({ current, previous }: MasterKeys, record: Buffer): MasterKey {
  const id = record.subarray(ID_AT, VERSION_AT);
  const master = [current, previous].find((candidate) => candidate?.id.equals(id));
  if (master === undefined)
    throw keyFailure(`the key is sealed under another master key (${id.toString('hex')})`);
  return master;
}

function associatedData(head: Buffer, { walletId, accountId }: KeyOwner): Buffer {
  return Buffer.concat([head, withLength(walletId), withLength(accountId)]);
}

function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.of(bytes.length >>> 8, bytes.length & 0xff), bytes]);
}

function assertAuthentic(decipher: { final: () => Buffer }): void {
  try {
    decipher.final();
  } catch (cause) {
    throw keyFailure('the sealed key was changed, or is another wallet’s or account’s', cause);
  }
}
