import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import sodium from 'sodium-native';
import type { Config } from '../../../../generated/config.ts';
import { loadEngineOf } from '../../../core/keys/load-engine.ts';
import type { KeyEngine } from '../../../core/keys/engine.ts';
import { assertKnownAnswers } from '../../../core/keys/known-answers.ts';
import { serviceError } from '../../../core/service-error.ts';
import {
  type Hsm,
  type HsmDirectory,
  type ChildKey,
  type KeyOwner,
  type MadeKey,
  type SealedKey,
  keyFailure,
  SEALED_FORMAT,
} from '../hsm.ts';
import {
  openOwnMasterKeys,
  type MasterKeyStore,
  MASTER_KEY_BYTES,
  type MasterKey,
  type MasterKeys,
  takeMasterKey,
  wipe,
  secretBuffer,
  MASTER_KEY_ID_BYTES,
} from './own-master-keys.ts';
import { secretBytes } from '../../../core/keys/secret-bytes.ts';
import { readSecretFile } from '../../files/write-durably.ts';
import { COIN_TYPE, PURPOSE } from '../../../core/keys/derivation-path.ts';
import { createChildren, createMasters, NODE_BYTES, nodeSeed } from '../../../core/keys/slip10.ts';
import { MAX_ITEMS } from '../../limits.ts';

/**
 * Opens `soft` with the configured master key, or with one of its own.
 *
 * @param loadEngine loads the key engine, which must pass published test vectors before it is used.
 * @throws ServiceError `signerNotStarted` if the master key is not available, or the engine fails its test.
 */
export async function openConfiguredSoft(
  settings: Config['hsm']['soft'],
  files: HsmDirectory,
  loadEngine: () => Promise<KeyEngine> = () => loadEngineOf('native'),
): Promise<Hsm> {
  const engine = await loadEngine();
  assertProven(engine);
  const { master_key_file: masterKeyFile, previous_master_key_file: previousMasterKeyFile } = settings;
  const masters =
    masterKeyFile === undefined
      ? await openOwnMasterKeys(files.directory, files)
      : await openCredentialMasterKeys({ masterKeyFile, previousMasterKeyFile });
  return openSoft(engine, masters);
}

function assertProven(engine: KeyEngine): void {
  try {
    assertKnownAnswers(engine);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('signerNotStarted', { reason }, error);
  }
}

type CredentialFiles = {
  readonly masterKeyFile: string;
  readonly previousMasterKeyFile?: string | undefined;
};

/** 64 digits and a line end. */
const MAX_BYTES = 66;

/**
 * Opens the master keys of credential files, which the operator makes and the signer only reads. A rotation begins when the operator gives
 * a new file and names the old one as the previous, and ends when the latter is removed.
 *
 * @throws ServiceError `signerNotStarted` if a file cannot be read or holds no key.
 */
export async function openCredentialMasterKeys(files: CredentialFiles): Promise<MasterKeyStore> {
  const { masterKeyFile, previousMasterKeyFile } = files;
  const keys: MasterKeys = {
    current: await readKey('hsm.soft.master_key_file', masterKeyFile),
    previous:
      previousMasterKeyFile === undefined
        ? undefined
        : await readKey('hsm.soft.previous_master_key_file', previousMasterKeyFile),
  };
  return {
    keys: () => keys,
    begin: async () => {
      if (keys.previous !== undefined) return;
      throw serviceError('invalidCommand', {
        reason:
          'the master key is a credential file: write a new one, name it in hsm.soft.master_key_file (KEYSLOT_HSM_MASTER_KEY_FILE) and the old one in hsm.soft.previous_master_key_file (KEYSLOT_HSM_PREVIOUS_MASTER_KEY_FILE), restart the server, then rotate',
      });
    },
    finish: async () => undefined,
  };
}

async function readKey(setting: string, path: string): Promise<MasterKey> {
  const bytes = await readSecretFile(path, MAX_BYTES).catch((error: unknown) => {
    throw refuse(`${setting} ${path}: ${error instanceof Error ? error.message : String(error)}`);
  });
  if (bytes === undefined) throw refuse(`${setting} ${path}: the file does not exist`);
  const key = bytes.length === MASTER_KEY_BYTES ? bytes : fromHex(bytes);
  if (key === undefined) throw refuse(`${setting} ${path} must hold 32 bytes or 64 hexadecimal digits`);
  const master = takeMasterKey(key);
  wipe(bytes);
  return master;
}

/** Decodes without an intermediate string, which could not be wiped. */
function fromHex(text: Buffer): Buffer | undefined {
  const end = text.findLastIndex((byte) => byte !== 0x0a && byte !== 0x0d) + 1;
  if (end !== 2 * MASTER_KEY_BYTES) return undefined;
  const key = secretBytes(MASTER_KEY_BYTES);
  for (let index = 0; index < end; index += 1) {
    const digit = hexDigit(text[index] ?? 0);
    if (digit === undefined) return undefined;
    key[index >> 1] = ((key[index >> 1] ?? 0) << 4) | digit;
  }
  return key;
}

function hexDigit(byte: number): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined;
}

const refuse = (reason: string): Error => serviceError('signerNotStarted', { reason });

const PROTECTION =
  'software: sealed with AES-256-GCM under a master key that only the signer process holds, and opened in its memory for each use';
/** Size of the random seed of a master. */
const SEED_BYTES = 64;

/**
 * Seals keys in software. Nothing stays behind: the result of `createKey` is the key. For each call a seed is in memory outside the
 * garbage-collected heap, and wiped afterwards.
 */
function openSoft(engine: KeyEngine, masters: MasterKeyStore): Hsm {
  const sealer = createSealer();
  const masterNodes = createMasters(engine, SEED_BYTES, secretBuffer);
  const [accounts, wallets] = [createChildren(engine, secretBuffer), createChildren(engine, secretBuffer)];
  const seed = secretBuffer(SEED_BYTES);
  const node = secretBuffer(NODE_BYTES);

  const make = (owner: KeyOwner, content: SealedContent, secret: Buffer): MadeKey => ({
    publicKey: engine.publicKey(nodeSeed(secret)),
    sealed: sealer.seal(masters.keys().current, owner, content, secret),
  });

  /** Children of m/44'/501'; those of one account cost one derivation each. */
  const deriveFrom = (master: Buffer, children: readonly ChildKey[]): readonly MadeKey[] => {
    try {
      master.copy(node);
      for (const index of [PURPOSE, COIN_TYPE]) {
        accounts.setParent(node);
        accounts.deriveInto(node, index);
      }
      accounts.setParent(node);
      let accountOf = -1;
      return children.map(({ owner, x, y }) => {
        if (x !== accountOf) {
          accounts.deriveInto(node, x);
          wallets.setParent(node);
          accountOf = x;
        }
        wallets.deriveInto(node, y);
        return make(owner, 'seed', node);
      });
    } finally {
      accounts.wipe();
      wallets.wipe();
      wipe(node);
    }
  };

  const reseal = (key: SealedKey): Uint8Array | undefined => {
    const { current } = masters.keys();
    if (masterKeyIdOf(key.sealed).equals(current.id)) return undefined;
    return sealer.open(masters.keys(), key, (secret, content) => sealer.seal(current, key, content, secret));
  };

  return {
    traits: {
      kind: 'soft',
      protection: PROTECTION,
      keysIn: 'row',
      concurrency: 1,
      keysPerRequest: MAX_ITEMS,
    },
    createKey: async (owner) => {
      sodium.randombytes_buf(seed);
      const made = make(owner, 'seed', seed);
      wipe(seed);
      return made;
    },
    sign: async (key, message) =>
      sealer.open(masters.keys(), key, (secret) => engine.sign(nodeSeed(secret), message)),
    destroyKey: async () => undefined,
    health: async () => undefined,
    close: async () => undefined,
    derivation: {
      createMaster: async (owner) => {
        sodium.randombytes_buf(seed);
        masterNodes.computeInto(node, seed);
        const made = make(owner, 'masterNode', node);
        wipe(seed);
        wipe(node);
        return made;
      },
      deriveKeys: async (master, children) =>
        sealer.open(masters.keys(), master, (opened, content) => {
          if (content !== 'masterNode') throw keyFailure('the key is not a master and has no children');
          return deriveFrom(opened, children);
        }),
    },
    rotation: { begin: masters.begin, reseal: async (key) => reseal(key), finish: masters.finish },
  };
}

/** The sealed content: the seed of a key (32 bytes), or the master node of a tree (64 bytes: key, then chain code). */
type SealedContent = 'seed' | 'masterNode';

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

type Sealer = {
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
 * frees the first copy without wiping it. The next `update` of the same size gets that memory, and overwrites it.
 */
function createOverwrite(): (sizeBytes: number) => void {
  const filler = createCipheriv('aes-256-ctr', randomBytes(32), randomBytes(16));
  const zeros = Buffer.alloc(64);
  return (sizeBytes) => void filler.update(zeros.subarray(0, sizeBytes));
}

/** Returns the id of the master key that a record is sealed under. @throws ServiceError `keyBackendFailed` if it is not a record. */
function masterKeyIdOf(sealed: Uint8Array): Buffer {
  const record = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length);
  contentOf(record);
  return record.subarray(ID_AT, VERSION_AT);
}

function contentOf(record: Buffer): SealedContent {
  if (record[0] !== SEALED_FORMAT.soft)
    throw keyFailure('the sealed key has a format that hsm.kind soft does not write');
  for (const content of ['seed', 'masterNode'] as const) {
    const { code, sizeBytes } = CONTENT[content];
    if (record[1] === code && record.length === TEXT_AT + sizeBytes + TAG_BYTES) return content;
  }
  throw keyFailure('the sealed key is truncated or was changed');
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
    throw keyFailure('the sealed key was changed, or belongs to another wallet or account', cause);
  }
}
