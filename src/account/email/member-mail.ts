import { randomInt, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { StoreTransaction } from '../../store/transaction.ts';
import { toServiceError } from '../../core/service-error.ts';
import { linkTo } from '../identity/members/member-links.ts';
import type { MemberDeps, MemberRequest } from '../identity/members/member-deps.ts';
import { createResetLinks } from '../identity/members/password-resets.ts';
import type { Role } from '../identity/members/sessions.ts';
import { invitationMail, resetMail } from './mail-texts.ts';
import type { MailKind, MailMetrics } from './mail-metrics.ts';
import type { Mail, Mailer } from './mailer.ts';
import { and, asc, eq, inArray, isNull, sql } from '../../store/drizzle.ts';
import { logins, members } from '../../store/member-tables.ts';
import { readAccountName } from '../accounts/account-name.ts';
import { outgoingMails } from '../../store/mail-tables.ts';
import type { InstallationKey } from '../sealing/installation-key.ts';
import { seal, unseal } from '../sealing/seal.ts';

type Invited = Omit<Parameters<typeof invitationMail>[0], 'link'> & { readonly token: string };

/** Emails to members and to people who are invited. */
export type MemberMail = {
  /** Resolves within five seconds: true if the mail server has accepted the invitation. Never rejects. */
  readonly sendInvitation: (invited: Invited) => Promise<boolean>;
  /**
   * Sends links to the logins with this email, if there are any, some seconds after this call: neither the call nor what the server takes for
   * other requests after it shows if there are any. Failures are logged.
   * @param email in lower case.
   */
  readonly requestReset: (email: string, request: MemberRequest) => void;
  /** Adds emails for the members of an account with certain roles to the outbox, in the transaction of the event that they report. */
  readonly tellMembers: (tx: StoreTransaction, told: ToldMembers, nowMs: number) => Promise<void>;
  /** Aborts emails that are being sent; the outbox keeps them for the next process. Call it before the store is closed. */
  readonly close: () => Promise<void>;
};

/** An email for members of an account. */
export type ToldMembers = {
  readonly accountId: string;
  readonly kind: MailKind;
  readonly roles: ReadonlySet<Role>;
  /** @param account its name. */
  readonly mailOf: (to: string, account: string) => Mail;
};

export type MemberMailParts = {
  readonly members: Pick<MemberDeps, 'store'>;
  readonly mailer: Mailer;
  readonly outbox: Outbox;
  /** The base URL of links: never one from a request, which anyone could have chosen. */
  readonly baseUrl: () => Promise<string>;
  readonly log: Pick<Logger, 'error'>;
  /** Milliseconds until the work of a reset begins. Default: one to five seconds, at random. */
  readonly resetDelayMs?: () => number;
};

const RESETS_WAITING = 1_000;
const RESET_DELAY_MS = { least: 1_000, most: 5_000 };

/** Creates the email service of an installation. */
export function createMemberMail({
  members,
  mailer,
  outbox,
  baseUrl,
  log,
  resetDelayMs = () => randomInt(RESET_DELAY_MS.least, RESET_DELAY_MS.most),
}: MemberMailParts): MemberMail {
  const delayed = new Set<NodeJS.Timeout>();
  let waiting = 0;
  let last = Promise.resolve();
  let isClosed = false;

  const sendReset = async (email: string, request: MemberRequest): Promise<void> => {
    try {
      const base = await baseUrl();
      await createResetLinks(members, email, {
        ...request,
        onLinks: (tx, made) => {
          const links = made.map(({ token, accounts }) => ({ accounts, link: linkTo(base, 'reset', token) }));
          const expiresAt = made[0]?.expiresAt ?? new Date(request.nowMs);
          const mail = resetMail({ to: email, links, expiresAt });
          return outbox.add(tx, [{ kind: 'password_reset', mail, expiresAt }], request.nowMs);
        },
      });
    } catch (error) {
      log.error({ reason: toServiceError(error).code }, 'cannot create a password reset link');
    }
  };

  return {
    tellMembers: async (tx, { kind, accountId, roles, mailOf }, nowMs) => {
      const { account, addresses } = await readRecipients(tx, accountId, roles);
      const mails = addresses.map((to) => ({ kind, accountId, mail: mailOf(to, account) }));
      await outbox.add(tx, mails, nowMs);
    },
    sendInvitation: async ({ token, ...invited }) => {
      const link = linkTo(await baseUrl(), 'invitation', token);
      const outcome = await mailer.send(invitationMail({ ...invited, link }));
      if (outcome.kind === 'taken') return true;
      log.error({ reason: outcome.reason }, 'cannot email an invitation');
      return false;
    },
    requestReset: (email, request) => {
      if (isClosed || waiting >= RESETS_WAITING)
        return log.error('cannot create a password reset link: too many requests are waiting');
      waiting++;
      const timer = setTimeout(() => {
        delayed.delete(timer);
        // One after the other: each reads and writes the store.
        last = last
          .then(() => (isClosed ? undefined : sendReset(email, request)))
          .finally(() => {
            waiting--;
          });
      }, resetDelayMs());
      delayed.add(timer);
    },
    close: async () => {
      isClosed = true;
      for (const timer of delayed) clearTimeout(timer);
      mailer.close();
      await last;
    },
  };
}

/** Returns the name of an account, and the addresses of its members who have certain roles, oldest member first. */
async function readRecipients(
  tx: StoreTransaction,
  accountId: string,
  roles: ReadonlySet<Role>,
): Promise<{ readonly account: string; readonly addresses: readonly string[] }> {
  const isTold = and(
    eq(members.accountId, accountId),
    inArray(members.role, [...roles]),
    isNull(members.removedAt),
  );
  const rows = await tx
    .select({ email: logins.email })
    .from(members)
    .innerJoin(logins, eq(logins.id, members.userId))
    .where(isTold)
    .orderBy(asc(members.createdAt), asc(members.id));
  const account = await readAccountName(tx, accountId);
  return { account, addresses: rows.map(({ email }) => email) };
}

/** An email that waits for the mail server. */
export type OutgoingMail = {
  readonly kind: MailKind;
  /** The account that it is about. Undefined for one that resets a password, which is about a login. */
  readonly accountId?: string | undefined;
  readonly mail: Mail;
  /** When it is of no more use. Default: three days later. */
  readonly expiresAt?: Date | undefined;
};

/** Emails of an installation that the mail server has not accepted yet. */
type Outbox = {
  /**
   * Adds emails in the transaction of the event that they report: they are sent only if it is committed. Where the outbox, or the share of
   * an account, is full, they are dropped and logged.
   */
  readonly add: (tx: StoreTransaction, mails: readonly OutgoingMail[], nowMs: number) => Promise<void>;
};

/** Maximum numbers of waiting emails. */
type Room = {
  readonly all: number;
  /** Those that reset passwords: anyone can request them, and others take no room from them. */
  readonly resets: number;
  /** Those about one account. */
  readonly ofAccount: number;
};

type OutboxOptions = {
  readonly installationKey: InstallationKey;
  readonly metrics: Pick<MailMetrics, 'count'>;
  readonly log: Pick<Logger, 'error'>;
  /** Default: 10,000, of which 1,000 that reset passwords, and 500 about an account. */
  readonly most?: Room;
};

/** Lifetime of emails that do not expire earlier. */
const KEPT_MS = 3 * 86_400_000;
const MOST: Room = { all: 10_000, resets: 1_000, ofAccount: 500 };

/** Creates the outbox of an installation. */
export function createOutbox({ installationKey, metrics, log, most = MOST }: OutboxOptions): Outbox {
  return {
    add: async (tx, mails, nowMs) => {
      if (mails.length === 0) return;
      const taken = await countWaiting(tx);
      const isFull = (accountId: string | undefined, kind: MailKind): boolean => {
        if (kind === 'password_reset') return taken.resets >= most.resets;
        if (taken.others >= most.all - most.resets) return true;
        return accountId !== undefined && (taken.ofAccounts.get(accountId) ?? 0) >= most.ofAccount;
      };
      const rows = mails.flatMap(({ kind, accountId, mail, expiresAt }) => {
        if (isFull(accountId, kind)) {
          metrics.count(kind, 'dropped');
          log.error({ kind, account: accountId }, 'email queue is full, message dropped');
          return [];
        }
        if (kind === 'password_reset') taken.resets += 1;
        else taken.others += 1;
        if (accountId !== undefined)
          taken.ofAccounts.set(accountId, (taken.ofAccounts.get(accountId) ?? 0) + 1);
        const id = randomUUID();
        const sealed = sealMail(installationKey, id, mail);
        const at = new Date(nowMs);
        const expires = expiresAt ?? new Date(nowMs + KEPT_MS);
        const times = { createdAt: at, nextAt: at, expiresAt: expires };
        return [{ id, kind, accountId: accountId ?? null, sealed, ...times }];
      });
      if (rows.length > 0) await tx.insert(outgoingMails).values(rows);
    },
  };
}

type Counted = {
  readonly account_id: string | null;
  readonly mails: string;
  readonly resets: string;
};

async function countWaiting(tx: StoreTransaction) {
  const { rows } = await tx.execute<Counted>(sql`
    select account_id, count(*) as mails, count(*) filter (where kind = 'password_reset') as resets
    from outgoing_mails group by 1`);
  const sum = (count: (row: Counted) => number): number => rows.reduce((all, row) => all + count(row), 0);
  const resets = sum((row) => Number(row.resets));
  return {
    resets,
    others: sum((row) => Number(row.mails)) - resets,
    ofAccounts: new Map(rows.map((row) => [row.account_id, Number(row.mails)])),
  };
}

/** Seals an email for its row under the installation key: it may have a link that opens a login. */
function sealMail(key: InstallationKey, id: string, { to, subject, text }: Mail): Uint8Array {
  return seal(key.derive('outgoing mail'), id, Buffer.from(JSON.stringify([to, subject, text])));
}

/** Opens an email. @throws Error, saying what to do, when it was sealed under another installation key. */
export function openMail(key: InstallationKey, id: string, sealed: Uint8Array): Mail {
  try {
    const text = Buffer.from(unseal(key.derive('outgoing mail'), id, sealed)).toString('utf8');
    const [to, subject, body] = JSON.parse(text) as readonly [string, string, string];
    return { to, subject, text: body };
  } catch (error) {
    const advice = `an email was not sealed with ${key.path}: restore its key, or give all servers of one store the same key with installation_key_file`;
    throw new Error(advice, { cause: error });
  }
}
