import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { serviceError } from '../core/service-error.ts';
import type { SupervisedChild } from '../core/process/supervised-child.ts';
import { type RequestShare, RequestQueue } from './client/request-queue.ts';
import type { SignerLauncher } from './client/signer-launcher.ts';
import { startSignerProcess } from './client/signer-process.ts';
import type { KeyOwner, MadeKey, Resealed, SealedKey } from './hsm/hsm.ts';
import { mapInOrder } from './map-in-order.ts';
import { type SignerStart, signerSettings } from './settings.ts';
import type { ChildPosition, KeyOrigin, RecordPage } from './tombstones/tombstones.ts';
import type { Hello } from './wire/hello.ts';
import { MAX_ITEMS, MAX_MESSAGE_BYTES } from './limits.ts';
import { OPERATIONS } from './wire/operations.ts';

/** A new key as the wallet's row stores it; `protection` states how it is actually protected. */
export type NewKey = MadeKey & { readonly protection: string };

/** A requested child: its own wallet's id, and its index below the master. */
export type NewChild = { readonly walletId: string; readonly x: number; readonly y: number };

export type SignerCapabilities = Omit<Hello, 'keysPerRequest' | 'identity'>;

export type CallOptions = {
  /** Cancels the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
};

/**
 * The signer as the gateway sees it. Every call rejects with `signerUnavailable` when there is no answer within its deadline (10 s; 30 s
 * for 128 keys), and with `keyBackendFailed` when the backend fails or refuses a sealed key: one that was changed, or belongs to another
 * wallet or account. A call that is lost because the signer dies is made once more. Calls on a destroyed wallet reject with
 * `walletNotFound`, whatever sealed key comes with them.
 */
export type Signer = {
  /**
   * Creates Ed25519 keys, in the order of the request. If `capabilities().keysIn` is `token`, an object stays in the token for each: record
   * an intent before, and call `destroy` for unused ones.
   */
  readonly create: (keys: readonly KeyOwner[], options?: CallOptions) => Promise<readonly NewKey[]>;
  /** Creates a SLIP-0010 master from random bytes; its public key is that of the master node. @throws `deriveNotSupported`. */
  readonly createMaster: (key: KeyOwner) => Promise<NewKey>;
  /**
   * Derives children at `m/44'/501'/x'/y'` (x and y from 0 to 2^31−1), of the master's account, in the order of the request. An index whose
   * child was destroyed gives `destroyed`. @throws `deriveNotSupported`.
   */
  readonly derive: (
    request: { readonly master: SealedKey; readonly children: readonly NewChild[] },
    options?: CallOptions,
  ) => Promise<readonly (NewKey | 'destroyed')[]>;
  /** Returns a signature of 64 bytes over a message of 1 byte to 1 MiB. */
  readonly sign: (
    request: SealedKey & { readonly message: Uint8Array },
    options?: CallOptions,
  ) => Promise<Uint8Array>;
  /**
   * Destroys a key for good: when it resolves, no sealed copy opens any more, and a child is never derived again at its index. Destroying
   * twice is not an error. Call it before the row's deletion is committed.
   */
  readonly destroy: (
    request: KeyOwner & { readonly derivedFrom?: ChildPosition | undefined },
  ) => Promise<void>;
  /**
   * Returns for each wallet whether it was destroyed, or is a child at an index whose key was, in the order of the request. Destructions
   * that were sent earlier and given up have ended by then.
   */
  readonly findDestroyed: (origins: readonly KeyOrigin[]) => Promise<readonly boolean[]>;
  /** Returns up to 4,096 entries of its record of destroyed keys, from one on, and the state of the whole record. */
  readonly readTombstones: (from: number) => Promise<RecordPage>;
  /** Destroys keys for good by their fingerprints in another record, 4,096 at most. */
  readonly addTombstones: (fingerprints: Buffer) => Promise<void>;
  /** Records that the store knows the signer's record. */
  readonly adoptTombstones: () => Promise<void>;
  /** Signs 1 byte to 1 MiB with the signer's own key, which signs nothing else. */
  readonly signAuditHead: (head: Uint8Array) => Promise<Uint8Array>;
  readonly auditPublicKey: () => Promise<Uint8Array>;
  /** The capabilities that the signer reported at its latest start. */
  readonly capabilities: () => SignerCapabilities;
  /** Resolves when keys can be used now. */
  readonly health: () => Promise<void>;
  /** Makes a new master key current, or resumes a rotation under way. @throws `invalidCommand` with the reason. */
  readonly beginRotation: () => Promise<void>;
  /** Returns each key sealed under the current master key, or the reason why not. */
  readonly reseal: (keys: readonly SealedKey[]) => Promise<readonly Resealed[]>;
  /** Drops the old master key: see `rotateMaster`. */
  readonly finishRotation: () => Promise<void>;
  /** Stops the signer. Waiting calls are refused. */
  readonly close: () => Promise<void>;
};

export type { SignerLauncher };

export type SignerOptions = {
  readonly dataDir: string;
  readonly config: Pick<Config, 'hsm'>;
  readonly log: Logger;
  /** Default: it may create missing files, and accepts no loss. */
  readonly start?: Partial<SignerStart>;
  /** Starts the process, if not as a child of this one. */
  readonly launcher?: SignerLauncher | undefined;
};

/** Number of concurrent requests of one call, so that other calls get in between. */
const PARTS_AT_ONCE = 2;

/**
 * Starts the signer as a supervised child and resolves when it serves.
 *
 * @throws ServiceError `signerNotStarted` with the reason.
 */
export async function startSigner({
  dataDir,
  config,
  log,
  start = {},
  launcher,
}: SignerOptions): Promise<{ readonly signer: Signer; readonly child: SupervisedChild<Hello> }> {
  let onStuck = (): void => undefined;
  const queue = new RequestQueue({ nowMs: () => performance.now(), onStuck: () => onStuck() });
  let hello: Hello | undefined;
  const begin = { mayCreate: true, acceptsLoss: false, ...start };
  const settings = signerSettings(dataDir, config.hsm, log.level, begin, launcher?.directory);
  const { child, started } = startSignerProcess({
    settings,
    queue,
    log,
    launcher,
    onHello: (next) => {
      hello = next;
    },
  });
  onStuck = () => {
    log.error('the signer does not respond; killing it');
    child.kill();
  };
  const first = await started;
  const signer = createSigner(
    queue,
    () => hello ?? first,
    async () => {
      queue.close();
      await child.stop();
    },
  );
  return { signer, child };
}

function createSigner(queue: RequestQueue, hello: () => Hello, close: () => Promise<void>): Signer {
  const inParts = async <T, R>(
    items: readonly T[],
    call: (part: readonly T[]) => Promise<readonly R[]>,
    size = hello().keysPerRequest,
  ): Promise<readonly R[]> => {
    const parts = split(items, size);
    return (await mapInOrder(parts, PARTS_AT_ONCE, call)).flat();
  };
  const withProtection = (made: MadeKey): NewKey => ({ ...made, protection: hello().protection });
  return {
    create: async (keys, options) => {
      const made = await inParts(keys, (part) =>
        queue.call(OPERATIONS.create, part, options?.signal, shareOf(part[0], part.length)),
      );
      return made.map(withProtection);
    },
    createMaster: async (key) =>
      withProtection(await queue.call(OPERATIONS.createMaster, key, undefined, shareOf(key))),
    derive: async ({ master, children }, options) => {
      const { accountId } = master;
      const wanted = children.map(({ walletId, x, y }) => ({ owner: { walletId, accountId }, x, y }));
      const made = await inParts(wanted, (part) =>
        queue.call(
          OPERATIONS.derive,
          { master, children: part },
          options?.signal,
          shareOf(master, part.length),
        ),
      );
      return made.map((key) => (key === 'destroyed' ? key : withProtection(key)));
    },
    sign: async ({ message, ...key }, options) => {
      assertSize(message);
      return queue.call(OPERATIONS.sign, { key, message }, options?.signal, shareOf(key));
    },
    destroy: async ({ walletId, accountId, derivedFrom }) =>
      queue.call(
        OPERATIONS.destroy,
        { owner: { walletId, accountId }, derivedFrom },
        undefined,
        shareOf({ accountId }),
      ),
    findDestroyed: (origins) =>
      inParts(origins, (part) => queue.call(OPERATIONS.findDestroyed, part), MAX_ITEMS),
    readTombstones: (from) => queue.call(OPERATIONS.readTombstones, from),
    addTombstones: (fingerprints) => queue.call(OPERATIONS.addTombstones, fingerprints),
    adoptTombstones: () => queue.call(OPERATIONS.adoptTombstones, undefined),
    signAuditHead: async (head) => {
      assertSize(head);
      return queue.call(OPERATIONS.signAuditHead, head);
    },
    auditPublicKey: () => queue.call(OPERATIONS.auditPublicKey, undefined),
    capabilities: () => {
      const { keysPerRequest: _ours, identity: _own, ...capabilities } = hello();
      return capabilities;
    },
    health: () => queue.call(OPERATIONS.health, undefined),
    beginRotation: () => queue.call(OPERATIONS.beginRotation, undefined),
    reseal: (keys) => inParts(keys, (part) => queue.call(OPERATIONS.reseal, part)),
    finishRotation: () => queue.call(OPERATIONS.finishRotation, undefined),
    close,
  };
}

/** A request belongs to the account of its keys. */
function shareOf(owner: Pick<KeyOwner, 'accountId'> | undefined, keys = 1): RequestShare {
  return { accountId: owner?.accountId ?? '', keys };
}

function split<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}

/** Refuses a message that exceeds the bound of the signer's protocol. */
function assertSize({ length }: Uint8Array): void {
  if (length > 0 && length <= MAX_MESSAGE_BYTES) return;
  throw serviceError(
    'keyBackendFailed',
    {},
    new Error(`a message of ${length} bytes; 1 to ${MAX_MESSAGE_BYTES} are signed`),
  );
}
