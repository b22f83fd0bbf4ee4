import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { anyOf } from '../../store/any-of.ts';
import { and, eq, gt, isNull } from '../../store/drizzle.ts';
import { loginSessions, members } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { createKeyText } from '../key-text.ts';
import { digestKey, type Keyring } from '../keyring.ts';
import type { TokenRing } from '../tokens/token-ring.ts';
import type { Scope } from '../tokens/scopes.ts';
import type { Role, SessionHolder } from './sessions.ts';

/** An API key and an access token of a session. They are stored nowhere. */
export type NewCredentials = {
  readonly apiKey: string;
  readonly accessToken: string;
  readonly expiresAt: Date;
};

/** The API keys and access tokens that sessions have, in the memory of this process. */
export type SessionCredentials = {
  /** Creates a key and a token with these scopes, for ten minutes. Of more than eight of a session, the oldest stop working. */
  readonly create: (holder: SessionHolder, scopes: readonly Scope[]) => NewCredentials;
  /** Refuses those of a session from now on. */
  readonly withdraw: (sessionId: string) => void;
  /** The member who has a key; undefined for other keys. */
  readonly memberOf: (keyId: string) => string | undefined;
  /** Refuses those whose session has ended or whose member has another role, wherever that happened. Runs every second by itself. */
  readonly check: () => Promise<void>;
  /** As `check`, after a change that is made already: a failure is left to the next second. */
  readonly checkNow: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export type SessionCredentialsOptions = {
  readonly store: Pick<Store, 'db'>;
  readonly keyring: Keyring;
  readonly tokens: TokenRing;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
};

type Issued = {
  readonly sessionId: string;
  readonly memberId: string;
  readonly role: Role;
  readonly keyId: string;
  readonly tokenId: string;
  readonly expiresAtMs: number;
};

const LIFETIME_MS = 10 * 60_000;
/** What was counted for a key is written within this time. */
const KEPT_MS = 2 * 60_000;
const MAX_PER_SESSION = 8;
const CHECK_MS = 1_000;

/** Opens them. A session that ends elsewhere takes its own along within a second. */
export function createSessionCredentials(options: SessionCredentialsOptions): SessionCredentials {
  const { store, keyring, tokens, clock, log } = options;
  const issued = new Map<string, Issued>();
  let isFailing = false;
  let checking: Promise<void> | undefined;

  /** Those that are not refused, by session. */
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
      if (each.expiresAtMs + KEPT_MS > nowMs) continue;
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
    const holders = await readHolders(store, [...live.keys()], nowMs);
    for (const each of [...live.values()].flatMap((some) => [...some])) {
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
          if (!isFailing) log.error({ err: error }, 'the sessions of API keys and tokens could not be read');
          isFailing = true;
        },
      )
      .finally(() => {
        checking = undefined;
      });
  }, CHECK_MS);
  timer.unref();

  return {
    create: (holder, scopes) => {
      const { accountId, memberId, userId, sessionId, role } = holder;
      const older = [...(live.get(sessionId) ?? [])];
      for (const each of older.slice(0, Math.max(0, older.length + 1 - MAX_PER_SESSION))) refuse(each);
      const [apiKey, accessToken] = [createKeyText('ks_key_'), createKeyText('ks_tok_')];
      const [keyId, tokenId] = [randomUUID(), randomUUID()];
      const expiresAtMs = clock.nowMs() + LIFETIME_MS;
      const shared = { accountId, isRevoked: false, expiresAtMs };
      keyring.put({ ...shared, keyId, digest: digestKey(apiKey), checkSource: undefined });
      tokens.put({
        ...{ ...shared, tokenId, digest: digestKey(accessToken), scopes: new Set(scopes) },
        member: { memberId, userId, sessionId },
      });
      const made = { sessionId, memberId, role, keyId, tokenId, expiresAtMs };
      issued.set(keyId, made);
      live.set(sessionId, (live.get(sessionId) ?? new Set()).add(made));
      return { apiKey, accessToken, expiresAt: new Date(expiresAtMs) };
    },
    checkNow: () => check().catch(() => undefined),
    ...{ withdraw, check, memberOf: (keyId) => issued.get(keyId)?.memberId },
    close: async () => {
      clearInterval(timer);
      await checking;
    },
  };
}

/** The member of each session that lives, and the role. */
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
