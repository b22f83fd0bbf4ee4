import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../../core/clock.ts';
import { anyOf } from '../../../store/any-of.ts';
import { gateways } from '../../../store/access-tables.ts';
import { and, eq, gt, isNull, ne, sql } from '../../../store/drizzle.ts';
import { loginSessions, members } from '../../../store/member-tables.ts';
import type { Store } from '../../../store/open-store.ts';
import { announce } from '../../../store/follow-store.ts';
import { createKeyText } from '../api-keys/key-text.ts';
import { digestKey, type Keyring } from '../api-keys/keyring.ts';
import type { TokenRing } from '../tokens/token-ring.ts';
import type { Scope } from '../tokens/scopes.ts';
import type { Role, SessionHolder } from './sessions.ts';

/** An API key and an access token of a session. They are stored nowhere. */
export type NewCredentials = {
  readonly apiKey: string;
  readonly accessToken: string;
  readonly expiresAt: Date;
};

/** The API keys and access tokens that sessions have, in the memory of every process of the store. */
export type SessionCredentials = {
  /**
   * Creates a key and a token with these scopes, for ten minutes. If a session has more than eight, the oldest stop working.
   * @param store announces them to the other processes, in a transaction.
   */
  readonly create: (
    store: Pick<Store, 'transaction'>,
    holder: SessionHolder,
    scopes: readonly Scope[],
  ) => Promise<NewCredentials>;
  /** Refuses the credentials of a session from now on. */
  readonly withdraw: (sessionId: string) => void;
  /** The member who has a key; undefined for other keys. */
  readonly memberOf: (keyId: string) => string | undefined;
  /** Refuses credentials whose session has ended or whose member has another role, wherever that happened. Runs every second by itself. */
  readonly check: () => Promise<void>;
  /** As `check`, after a change that is already made: a failure is left to the next second. */
  readonly checkNow: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type SessionCredentialsOptions = {
  readonly store: Pick<Store, 'db' | 'listen'>;
  /** This process among those of the store (see `joinGateways`). */
  readonly ownId: string;
  readonly keyring: Keyring;
  readonly tokens: TokenRing;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
};

/** A key and a token, as processes announce them to each other: with their digests, which open nothing. */
type Issued = Pick<SessionHolder, 'accountId' | 'memberId' | 'userId' | 'sessionId'> & {
  readonly role: Role;
  readonly keyId: string;
  readonly tokenId: string;
  /** SHA-256, in base-64. */
  readonly keyDigest: string;
  readonly tokenDigest: string;
  readonly scopes: readonly Scope[];
  readonly expiresAtMs: number;
};

/**
 * A message between the processes of a store, each by its id: one has created credentials, or another has received them. Stores in other
 * schemas of the database receive it too.
 */
type Announcement = { readonly by: string; readonly schema: string } & (
  | { readonly made: Issued }
  | { readonly takenKeyId: string }
);

const CHANNEL = 'keyslot_session_credentials';
/** The longest wait for the other processes: one that has just died never answers. */
const TAKEN_MS = 3_000;

const LIFETIME_MS = 10 * 60_000;
/** Time within which the counts of a key are written. */
const KEPT_MS = 2 * 60_000;
const MAX_PER_SESSION = 8;
const CHECK_MS = 1_000;

/** Opens the credentials. Those of a session that ends on another process stop working within a second. */
export async function openSessionCredentials(
  options: SessionCredentialsOptions,
): Promise<SessionCredentials> {
  const { store, ownId, keyring, tokens, clock, log } = options;
  const issued = new Map<string, Issued>();
  let isFailing = false;
  let checking: Promise<void> | undefined;

  /** Credentials that are not refused, by session. */
  const live = new Map<string, Set<Issued>>();
  const refuse = (each: Issued): void => {
    keyring.revoke(each.keyId);
    tokens.revoke(each.tokenId);
    const others = live.get(each.sessionId);
    others?.delete(each);
    if (others?.size === 0) live.delete(each.sessionId);
  };
  const withdraw = (sessionId: string): void => {
    for (const each of live.get(sessionId) ?? []) refuse(each);
  };
  const forgetOld = (nowMs: number): void => {
    for (const each of issued.values()) {
      // The token of a request that is served is refused as soon as its session ends, however long that takes.
      if (each.expiresAtMs + KEPT_MS > nowMs || tokens.isInUse(each.tokenId)) continue;
      refuse(each);
      issued.delete(each.keyId);
      keyring.remove(each.keyId);
      tokens.remove(each.tokenId);
    }
  };
  const check = async (): Promise<void> => {
    const nowMs = clock.nowMs();
    forgetOld(nowMs);
    if (live.size === 0) return;
    // Those that are created meanwhile may belong to a session that the store did not have yet.
    const checked = [...live.values()].flatMap((some) => [...some]);
    const holders = await readHolders(store, [...live.keys()], nowMs);
    for (const each of checked) {
      const now = holders.get(each.sessionId);
      if (now?.role !== each.role || now.memberId !== each.memberId) refuse(each);
    }
  };
  const timer = setInterval(() => {
    checking ??= check()
      .then(
        () => {
          isFailing = false;
        },
        (error: unknown) => {
          if (!isFailing)
            log.error({ err: error }, 'cannot read the sessions of API keys and tokens; retrying');
          isFailing = true;
        },
      )
      .finally(() => {
        checking = undefined;
      });
  }, CHECK_MS);
  timer.unref();

  const take = (made: Issued): void => {
    const { accountId, memberId, userId, sessionId, keyId, tokenId, expiresAtMs } = made;
    const nowMs = clock.nowMs();
    const older = [...(live.get(sessionId) ?? [])].filter((each) => each.expiresAtMs > nowMs);
    for (const each of older.slice(0, Math.max(0, older.length + 1 - MAX_PER_SESSION))) refuse(each);
    const shared = { accountId, isRevoked: false, expiresAtMs };
    keyring.put({
      ...shared,
      keyId,
      digest: Buffer.from(made.keyDigest, 'base64'),
      checkSource: undefined,
      isOfSession: true,
    });
    tokens.put({
      ...shared,
      tokenId,
      digest: Buffer.from(made.tokenDigest, 'base64'),
      scopes: new Set(made.scopes),
      member: { memberId, userId, sessionId },
    });
    issued.set(keyId, made);
    live.set(sessionId, (live.get(sessionId) ?? new Set()).add(made));
  };

  const schema = await readSchema(store);
  /** Called with each process that has received a new key. */
  const onTaken = new Map<string, () => void>();
  const listening = await store.listen?.(CHANNEL, {
    onConnected: async () => undefined,
    onAnnouncement: async (payload) => {
      // Processes that begin to listen send a test message.
      if (!payload.startsWith('{')) return;
      const said = JSON.parse(payload) as Announcement;
      if (said.by === ownId || said.schema !== schema) return;
      if ('takenKeyId' in said) return onTaken.get(said.takenKeyId)?.();
      take(said.made);
      await announce(store.db, CHANNEL, JSON.stringify({ by: ownId, schema, takenKeyId: said.made.keyId }));
    },
  });
  /** Announces a new key, and waits until the other processes have received it: a client may call any of them next. */
  const tellOthers = async (announcing: Pick<Store, 'transaction'>, made: Issued): Promise<void> => {
    let left = listening === undefined ? 0 : await countOthers(store, ownId);
    const { promise, resolve } = Promise.withResolvers<void>();
    onTaken.set(made.keyId, () => (--left === 0 ? resolve() : undefined));
    try {
      await announcing.transaction((tx) =>
        announce(tx, CHANNEL, JSON.stringify({ by: ownId, schema, made })),
      );
      if (left > 0) await Promise.race([promise, pause(TAKEN_MS, undefined, { ref: false })]);
    } finally {
      onTaken.delete(made.keyId);
    }
  };

  return {
    create: async (announcing, { accountId, memberId, userId, sessionId, role }, scopes) => {
      const [apiKey, accessToken] = [createKeyText('ks_key_'), createKeyText('ks_tok_')];
      const [keyId, tokenId] = [randomUUID(), randomUUID()];
      const expiresAtMs = clock.nowMs() + LIFETIME_MS;
      const made: Issued = {
        accountId,
        memberId,
        userId,
        sessionId,
        role,
        keyId,
        tokenId,
        scopes,
        expiresAtMs,
        keyDigest: printDigest(apiKey),
        tokenDigest: printDigest(accessToken),
      };
      await tellOthers(announcing, made);
      take(made);
      return { apiKey, accessToken, expiresAt: new Date(expiresAtMs) };
    },
    checkNow: () => check().catch(() => undefined),
    withdraw,
    check,
    memberOf: (keyId) => issued.get(keyId)?.memberId,
    close: async () => {
      clearInterval(timer);
      await listening?.close();
      await checking;
    },
  };
}

async function readSchema({ db }: Pick<Store, 'db'>): Promise<string> {
  const { rows } = await db.execute<{ readonly schema: string }>(sql`select current_schema() as schema`);
  return rows[0]?.schema ?? '';
}

function printDigest(text: string): string {
  return Buffer.from(digestKey(text)).toString('base64');
}

/** Returns the number of other processes with a recent heartbeat. */
function countOthers({ db }: Pick<Store, 'db'>, ownId: string): Promise<number> {
  return db.$count(
    gateways,
    and(ne(gateways.id, ownId), sql`${gateways.seenAt} > now() - interval '30 seconds'`),
  );
}

/** Returns the member and the role of each live session. */
async function readHolders(
  { db }: Pick<Store, 'db'>,
  sessionIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, Pick<Issued, 'memberId' | 'role'>>> {
  const rows = await db
    .select({ id: loginSessions.id, role: members.role, memberId: members.id })
    .from(loginSessions)
    .innerJoin(members, eq(members.id, loginSessions.memberId))
    .where(
      and(
        anyOf(loginSessions.id, sessionIds),
        gt(loginSessions.expiresAt, new Date(nowMs)),
        isNull(members.removedAt),
      ),
    );
  return new Map(rows.map(({ id, ...holder }) => [id, holder]));
}
