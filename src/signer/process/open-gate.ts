import { mkdir } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { parseSettings, type SignerSettings } from '../settings.ts';
import { ByteReader, ProtocolError } from '../wire/byte-reader.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { MAX_TEXT_BYTES } from '../limits.ts';
import { OPERATIONS, type Operation } from '../wire/operations.ts';
import { type Vault, createVault } from './vault.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';
import { acquireLock, type Lock, releaseLock } from '../../store/lock-file.ts';
import { makePrivate } from '../../store/make-private.ts';
import { openHsm } from '../hsm/open-hsm.ts';
import { openTombstones } from '../tombstones/tombstones.ts';
import type { Hello } from '../wire/hello.ts';
import { openAuditKey, wasUsed } from './audit-key.ts';
import { type Hsm, keyFailure } from '../hsm/hsm.ts';
import { encodeFailure, SUCCEEDED } from '../wire/failures.ts';
import { encodeFrame, type Frame, FrameReader, readHead } from '../wire/frame.ts';

export type Gate = { readonly answer: AnswerFrame; readonly close: () => Promise<void> };

/** Answers `open` first, once, and then every other operation. */
export function openGate(log: Logger): Gate {
  let opening: Promise<OpenedVault> | undefined;
  let table: ReadonlyMap<number, AnswerRequest> = new Map();

  const open = async (content: ByteReader): Promise<Buffer> => {
    if (opening !== undefined) throw keyFailure('the signer is already open');
    const bytes = content.bytes(MAX_TEXT_BYTES);
    content.end();
    const settings = parseSettings(bytes.toString('utf8'));
    bytes.fill(0);
    log.level = settings.logLevel;
    opening = openVault(settings, log);
    const { vault, hello } = await opening;
    table = operationTable(vault);
    return new ByteWriter().text(JSON.stringify(hello)).done();
  };
  return {
    answer: async (code, content, isRepeat) => {
      if (code === OPERATIONS.open.code) return open(content);
      const answer = table.get(code);
      if (answer === undefined)
        throw keyFailure('the operation is unknown, or came before the signer was opened');
      return answer(content, isRepeat);
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.close();
    },
  };
}

/** Answers the content of one request. @throws ProtocolError for content that does not fit the operation. */
type AnswerRequest = (content: ByteReader, isRepeat: boolean) => Promise<Buffer>;

/** Returns the handlers of an open signer, by operation code. */
function operationTable(vault: Vault): ReadonlyMap<number, AnswerRequest> {
  return new Map([
    bind(OPERATIONS.health, vault.health),
    bind(OPERATIONS.create, vault.create),
    bind(OPERATIONS.createMaster, vault.createMaster),
    bind(OPERATIONS.derive, ({ master, children }) => vault.derive(master, children)),
    bind(OPERATIONS.sign, ({ key, message }) => vault.sign(key, message)),
    bind(OPERATIONS.destroy, ({ owner, derivedFrom }) => vault.destroy(owner, derivedFrom)),
    bind(OPERATIONS.signAuditHead, vault.signAuditHead),
    bind(OPERATIONS.auditPublicKey, async () => vault.auditPublicKey()),
    bind(OPERATIONS.beginRotation, vault.beginRotation),
    bind(OPERATIONS.reseal, vault.reseal),
    bind(OPERATIONS.finishRotation, vault.finishRotation),
    bind(OPERATIONS.findDestroyed, vault.findDestroyed),
    bind(OPERATIONS.readTombstones, vault.readTombstones),
    bind(OPERATIONS.addTombstones, vault.addTombstones),
    bind(OPERATIONS.adoptTombstones, vault.adoptTombstones),
  ]);
}

function bind<Q, A>(
  { code, request, answer }: Operation<Q, A>,
  run: (request: Q, isRepeat: boolean) => Promise<A>,
): readonly [number, AnswerRequest] {
  return [
    code,
    async (content, isRepeat) => {
      const asked = request.read(content);
      content.end();
      const writer = new ByteWriter();
      answer.write(writer, await run(asked, isRepeat));
      return writer.done();
    },
  ];
}

type OpenedVault = {
  readonly vault: Vault;
  readonly hello: Hello;
  readonly close: () => Promise<void>;
};

/** A signer whose gateway was killed exits within this time. */
const LOCK_ATTEMPTS = 50;
const LOCK_PAUSE_MS = 100;
/** Not made private silently if others can read it: its reader refuses it. */
const REFUSED_IF_OPEN = new Set(['master.key']);

/**
 * Opens the signer's directory, which belongs to one process, and the key backend.
 *
 * @throws ServiceError `signerNotStarted` or `tokenPinRefused` for failures that an operator must fix; `keyBackendFailed` for temporary ones.
 */
async function openVault(
  { directory, hsm: config, mayCreate, acceptsLoss }: SignerSettings,
  log: Pick<Logger, 'warn'>,
): Promise<OpenedVault> {
  if (!mayCreate && !(await wasUsed(directory))) throw missing(directory);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  keepPrivate(directory);
  await using opened = new AsyncDisposableStack();
  const lock = await takeLock(directory);
  opened.defer(() => releaseLock(lock));
  const isFirstStart = !(await wasUsed(directory));
  const hsm = await openHsm(config, { directory, isFirstStart });
  opened.defer(() => hsm.close());
  const tombstones = await openTombstones(directory, {
    mayCreate: isFirstStart,
    acceptsLoss,
    onCut: (what) =>
      log.warn({ what }, 'removed an incomplete entry left by a crash; it was never acknowledged'),
  });
  opened.defer(() => tombstones.close());
  const auditKey = await openAuditKey(directory, hsm);
  const vault = createVault({ hsm, tombstones, auditKey });
  const running = opened.move();
  return {
    vault,
    hello: helloOf(hsm, config.max_managed_batch, auditKey.publicKey),
    close: () => running.disposeAsync(),
  };
}

function missing(directory: string): Error {
  const reason = [
    `${directory} has no signer's files, and the store knows the signer that made its wallets`,
    'restore the directory, whole, from its newest backup',
    'if it is lost for good, keyslot signer adopt makes a new signer: without the old master key or token it opens none of those wallets',
  ].join('; ');
  return serviceError('signerNotStarted', { reason });
}

function keepPrivate(directory: string): void {
  try {
    makePrivate(directory, REFUSED_IF_OPEN);
  } catch (error) {
    throw serviceError('signerNotStarted', { reason: toServiceError(error).message }, error);
  }
}

async function takeLock(directory: string): Promise<Lock> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await acquireLock(directory);
    } catch (error) {
      if (toServiceError(error).code !== 'dataDirectoryLocked' || attempt === LOCK_ATTEMPTS) throw error;
      await pause(LOCK_PAUSE_MS);
    }
  }
}

/** Describes the abilities of a backend, with the configured maximum size of a batch. */
function helloOf(hsm: Hsm, maxManagedBatch: number | undefined, publicKey: Uint8Array): Hello {
  const { kind, protection, keysIn, keysPerRequest } = hsm.traits;
  return {
    identity: Buffer.from(publicKey).toString('hex'),
    kind,
    protection,
    keysIn,
    derive: hsm.derivation !== undefined,
    rotatesMaster: hsm.rotation !== undefined,
    maxManagedBatch,
    keysPerRequest,
  };
}

/** Answers one request of a gateway. `content` follows the head. */
export type AnswerFrame = (code: number, content: ByteReader, isRepeat: boolean) => Promise<Buffer>;

/** Maximum number of requests under way; the rest waits unread. */
const MAX_UNDER_WAY = 64;

/**
 * Reads requests from the gateway and answers each, in the order in which they finish. It stops reading while enough requests are under
 * way, or while the gateway does not take its answers. A request whose deadline has passed is not begun.
 *
 * @returns a promise that resolves when the gateway has disconnected, and rejects with a ProtocolError for bytes that are not a frame.
 */
export function serveLink(link: Duplex, answer: AnswerFrame, nowMs: () => number): Promise<void> {
  const frames = new FrameReader();
  const waiting: { readonly frame: Frame; readonly cameAtMs: number }[] = [];
  let underWay = 0;
  let isBlocked = false;
  const ended = Promise.withResolvers<void>();

  const send = (frame: Frame): void => {
    if (link.writable && !link.write(encodeFrame(frame))) isBlocked = true;
  };
  const work = async ({ id, code, payload }: Frame, cameAtMs: number): Promise<void> => {
    try {
      const content = new ByteReader(payload);
      const { isRepeat, remainingMs } = readHead(content);
      if (nowMs() - cameAtMs >= remainingMs)
        throw serviceError('signerUnavailable', {}, new Error('the request arrived after its deadline'));
      send({ id, code: SUCCEEDED, payload: await answer(code, content, isRepeat) });
    } catch (error) {
      send({ id, ...encodeFailure(error) });
    }
  };
  const pump = (): void => {
    while (waiting.length > 0 && underWay < MAX_UNDER_WAY && !isBlocked) {
      const next = waiting.shift();
      if (next === undefined) break;
      underWay += 1;
      void work(next.frame, next.cameAtMs).finally(() => {
        underWay -= 1;
        pump();
      });
    }
    if (waiting.length > 0) link.pause();
    else if (link.isPaused()) link.resume();
  };
  link.on('data', (bytes: Buffer) => {
    try {
      for (const frame of frames.take(bytes)) waiting.push({ frame, cameAtMs: nowMs() });
    } catch (error) {
      ended.reject(error);
      link.destroy();
      return;
    }
    pump();
  });
  link.on('drain', () => {
    isBlocked = false;
    pump();
  });
  link.on('error', () => link.destroy());
  link.once('close', () => {
    if (frames.isBetweenFrames) ended.resolve();
    else ended.reject(new ProtocolError('the gateway disconnected in the middle of a frame'));
  });
  link.once('end', () => link.destroy());
  return ended.promise;
}
