import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { serviceError } from '../../core/service-error.ts';
import { writeDurably, readIfThere } from '../files/write-durably.ts';
import type { Hsm, KeyOwner, MadeKey } from '../hsm/hsm.ts';

/** The wallet id of the signer's own key. No wallet can have it. */
export const AUDIT_WALLET_ID = 'keyslot:audit-head';

const MAGIC = Buffer.from('KSAUDIT1');
const ID_BYTES = 16;
const PUBLIC_KEY_AT = MAGIC.length + ID_BYTES;
const SEALED_AT = PUBLIC_KEY_AT + 32;

/** `id` is random: two installations may share a token. */
type KeptKey = MadeKey & { readonly id: Uint8Array };

/** The key that signs the heads of audit logs. It belongs to the signer: the gateway never has its sealed form. */
export type AuditKey = {
  readonly publicKey: Uint8Array;
  readonly sign: (head: Uint8Array) => Promise<Uint8Array>;
  /** Resolves when the key can be used. The signed probe is not an audit head, and is thrown away. */
  readonly probe: () => Promise<void>;
  /** Seals it under the current master key. */
  readonly reseal: () => Promise<void>;
};

/** True when a signer has used the directory before: the audit key is the last file that the first start writes. */
export async function wasUsed(directory: string): Promise<boolean> {
  return (await readIfThere(pathIn(directory))) !== undefined;
}

/**
 * Opens the key of `<directory>/audit.key`, or creates it. It is tested at once, so that a wrong master key or token is detected at start
 * and not by the first wallet.
 *
 * @throws ServiceError `signerNotStarted` if it does not open.
 */
export async function openAuditKey(directory: string, hsm: Hsm): Promise<AuditKey> {
  const path = pathIn(directory);
  const found = await readIfThere(path);
  let key = found === undefined ? await make(hsm) : parse(found, path);
  if (found === undefined) await write(path, key);
  const sign = (head: Uint8Array): Promise<Uint8Array> =>
    hsm.sign({ ...ownerOf(key), sealed: key.sealed }, head);
  const probe = async (): Promise<void> => void (await sign(MAGIC));
  await probe().catch((error: unknown) => {
    const reason =
      error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    throw serviceError(
      'signerNotStarted',
      {
        reason: `the signer's own key does not open with this key backend (${reason}): check that ${directory} belongs to this key backend`,
      },
      error,
    );
  });
  return {
    publicKey: key.publicKey,
    sign,
    probe,
    reseal: async () => {
      const sealed = await hsm.rotation?.reseal({ ...ownerOf(key), sealed: key.sealed });
      if (sealed === undefined) return;
      const next = { ...key, sealed };
      await write(path, next);
      key = next;
    },
  };
}

/** Returns the public key in the bytes of an `audit.key`. @throws ServiceError `signerNotStarted` if they are damaged. */
export function readPublicKey(bytes: Buffer, path: string): Uint8Array {
  return parse(bytes, path).publicKey;
}

const pathIn = (directory: string): string => join(directory, 'audit.key');

async function make(hsm: Hsm): Promise<KeptKey> {
  const id = randomBytes(ID_BYTES);
  return { id, ...(await hsm.createKey(ownerOf({ id }), { isRepeat: false })) };
}

function ownerOf({ id }: Pick<KeptKey, 'id'>): KeyOwner {
  return { walletId: AUDIT_WALLET_ID, accountId: `signer:${Buffer.from(id).toString('hex')}` };
}

const write = (path: string, { id, publicKey, sealed }: KeptKey): Promise<void> =>
  writeDurably(path, Buffer.concat([MAGIC, id, publicKey, sealed]));

function parse(bytes: Buffer, path: string): KeptKey {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC) || bytes.length <= SEALED_AT) {
    throw serviceError('signerNotStarted', { reason: `${path} is damaged: restore it from its backup` });
  }
  return {
    id: bytes.subarray(MAGIC.length, PUBLIC_KEY_AT),
    publicKey: bytes.subarray(PUBLIC_KEY_AT, SEALED_AT),
    sealed: bytes.subarray(SEALED_AT),
  };
}
