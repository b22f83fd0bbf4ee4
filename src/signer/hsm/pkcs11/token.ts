import { serviceError } from '../../../core/service-error.ts';
import { keyFailure } from '../hsm.ts';
import { CK, type Cryptoki, type Handle, type TokenInfo } from './cryptoki.ts';
import { isLoggedInAlready, isLost, isPinRefused, isVague } from './return-codes.ts';

export type TokenSettings = {
  readonly label: string | undefined;
  readonly slot: number | undefined;
  readonly sessions: number;
  /** Called at each login; the PIN is not kept here. */
  readonly readPin: () => Promise<string>;
};

/** Work in one session. `loginEpoch` is a new object after each login: earlier handles are invalid. */
export type SessionWork<T> = (session: Handle, loginEpoch: object) => Promise<T>;

/** A token with a login, which is renewed when the token was lost. */
export type Token = {
  /**
   * Runs work in a session of its own. If the token or the login is lost, it logs in again and runs the work once more.
   *
   * @throws ServiceError `keyBackendFailed`.
   */
  readonly use: <T>(work: SessionWork<T>) => Promise<T>;
  readonly info: () => TokenInfo;
  readonly close: () => Promise<void>;
};

const PIN_REFUSED = 'the token refused the PIN; it is not tried again until the server is restarted';

/** The login ended while a caller waited for a session. */
const OVER = new Error('the login is over');

/** The PIN was not tried: the token has at most one try left. */
class PinAtRisk extends Error {}

type Login = { readonly slot: Handle; readonly info: TokenInfo; readonly pool: SessionPool; isOver: boolean };

/**
 * Finds the token and logs in: once, for all sessions, as PKCS#11 specifies.
 *
 * @throws ServiceError `signerNotStarted` if the token is missing; `tokenPinRefused` if it refuses the PIN, or would lock it with the next
 *   wrong one, which is then not tried.
 */
export async function openToken(cryptoki: Cryptoki, settings: TokenSettings): Promise<Token> {
  let login: Promise<Login> | undefined;
  let previous: Login | undefined;
  let refusal: string | undefined;
  let isInitialized = false;

  const logIn = async (): Promise<Login> => {
    if (refusal !== undefined) throw keyFailure(refusal);
    await previous?.pool.idle();
    if (isInitialized) attempt(() => cryptoki.C_Finalize());
    cryptoki.C_Initialize({ flags: CK.flags.osLockingOk });
    isInitialized = true;
    const { slot, info } = findSlot(cryptoki, settings);
    // The token has accepted this PIN before, so it is correct.
    if (previous === undefined) assertTriesLeft(info);
    const openSession = (): Handle =>
      cryptoki.C_OpenSession(slot, CK.flags.serialSession | CK.flags.rwSession);
    // Kept open: the login ends with the last session.
    const keeper = openSession();
    try {
      cryptoki.C_Login(keeper, CK.user, await settings.readPin());
    } catch (error) {
      if (isPinRefused(error)) refusal = PIN_REFUSED;
      if (!isLoggedInAlready(error)) throw error;
    }
    const pool = createSessionPool({
      size: settings.sessions,
      open: openSession,
      close: (session) => attempt(() => cryptoki.C_CloseSession(session)),
    });
    previous = { slot, info, pool, isOver: false };
    return previous;
  };
  const current = (): Promise<Login> => {
    login ??= logIn().catch((error: unknown) => {
      login = undefined;
      throw error;
    });
    return login;
  };
  const end = (over: Login): void => {
    if (over.isOver) return;
    over.isOver = true;
    login = undefined;
  };
  const isGone = ({ slot, info }: Login, error: unknown): boolean =>
    isLost(error) || (isVague(error) && !isThere(cryptoki, slot, info));

  const inSession = async <T>(now: Login, work: SessionWork<T>): Promise<T> => {
    const session = await now.pool.acquire();
    if (now.isOver) {
      now.pool.discard(session);
      throw OVER;
    }
    try {
      const result = await work(session, now);
      now.pool.release(session);
      return result;
    } catch (error) {
      now.pool.discard(session);
      throw error;
    }
  };
  const use = async <T>(work: SessionWork<T>, isSecond = false): Promise<T> => {
    const now = await current();
    try {
      return await inSession(now, work);
    } catch (error) {
      if (error === OVER) return use(work, isSecond);
      if (!isGone(now, error)) throw error;
      end(now);
      if (isSecond) throw error;
    }
    return use(work, true);
  };

  await current().catch((error: unknown) => {
    const code = error instanceof PinAtRisk || isPinRefused(error) ? 'tokenPinRefused' : 'signerNotStarted';
    throw serviceError(code, { reason: startReason(error, settings) }, error);
  });
  return {
    use: (work) => use(work).catch((error: unknown) => Promise.reject(asKeyFailure(error))),
    info: () => {
      if (previous === undefined) throw keyFailure('no token');
      return previous.info;
    },
    close: async () => {
      refusal = 'the token is closed';
      await previous?.pool.idle();
      attempt(() => cryptoki.C_Finalize());
    },
  };
}

function findSlot(
  cryptoki: Cryptoki,
  { label, slot: number }: TokenSettings,
): { slot: Handle; info: TokenInfo } {
  for (const slot of cryptoki.C_GetSlotList(true)) {
    const info = cryptoki.C_GetTokenInfo(slot);
    const isWanted = number === undefined ? info.label.trim() === label : slot.readUInt32LE() === number;
    if (isWanted) return { slot, info };
  }
  throw keyFailure(
    number === undefined ? `no token is labelled ${JSON.stringify(label)}` : `slot ${number} has no token`,
  );
}

/** Another wrong PIN would lock the token, however often somebody or a supervisor restarts the server. */
function assertTriesLeft({ flags }: TokenInfo): void {
  const { userPinFinalTry, userPinLocked } = CK.tokenFlags;
  if ((flags & userPinLocked) !== 0) throw new PinAtRisk('its PIN is locked: unlock it with its vendor tool');
  if ((flags & userPinFinalTry) !== 0)
    throw new PinAtRisk(
      'one more wrong PIN locks it: log in once with the right PIN and a vendor tool (such as pkcs11-tool --login --test), then start again',
    );
}

function isThere(cryptoki: Cryptoki, slot: Handle, info: TokenInfo): boolean {
  try {
    return cryptoki.C_GetTokenInfo(slot).serialNumber === info.serialNumber;
  } catch {
    return false;
  }
}

function startReason(error: unknown, { label, slot }: TokenSettings): string {
  const name = label === undefined ? `in slot ${slot}` : JSON.stringify(label);
  if (isPinRefused(error)) return `the token ${name} refuses the PIN (${messageOf(error)})`;
  return `the token ${name} cannot be opened: ${messageOf(error)}`;
}

function asKeyFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'ServiceError'
    ? error
    : keyFailure('the token failed', error);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** For cleanup that may fail because the token is gone. */
function attempt(step: () => void): void {
  try {
    step();
  } catch {
    return;
  }
}

type SessionPool = {
  /** Returns a session for exclusive use; waits while all are in use. @throws the error of opening one. */
  readonly acquire: () => Promise<Handle>;
  readonly release: (session: Handle) => void;
  /** Closes a failed session and never uses it again: an operation may still be under way in it. */
  readonly discard: (session: Handle) => void;
  /** Resolves when no session is in use or waited for. */
  readonly idle: () => Promise<void>;
};

type SessionPoolOptions = {
  readonly size: number;
  readonly open: () => Handle;
  readonly close: (session: Handle) => void;
};

/** Creates a pool of up to `size` sessions, opened on demand. Each does one operation at a time, as PKCS#11 requires. */
export function createSessionPool({ size, open, close }: SessionPoolOptions): SessionPool {
  const free: Handle[] = [];
  const waiting: (() => void)[] = [];
  let idlers: (() => void)[] = [];
  let inUse = 0;

  /** Hands a free slot to the longest waiter. */
  const giveBack = (): void => {
    const next = waiting.shift();
    if (next === undefined) inUse -= 1;
    else next();
    if (inUse > 0) return;
    for (const done of idlers) done();
    idlers = [];
  };
  return {
    acquire: async () => {
      if (inUse < size) inUse += 1;
      else await new Promise<void>((done) => waiting.push(done));
      try {
        return free.pop() ?? open();
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    release: (session) => {
      free.push(session);
      giveBack();
    },
    discard: (session) => {
      close(session);
      giveBack();
    },
    idle: async () => {
      if (inUse > 0) await new Promise<void>((done) => idlers.push(done));
    },
  };
}
