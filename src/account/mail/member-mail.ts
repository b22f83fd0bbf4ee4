import type { Logger } from 'pino';
import type { StoreTransaction } from '../../store/transaction.ts';
import { toServiceError } from '../../base/service-error.ts';
import { linkTo } from '../members/member-links.ts';
import type { MemberDeps, MemberRequest } from '../members/member-deps.ts';
import { createResetLinks } from '../members/password-resets.ts';
import type { Role } from '../members/sessions.ts';
import { invitationMail, resetMail } from './mail-texts.ts';
import type { MailKind } from './mail-metrics.ts';
import type { Mail, Mailer } from './mailer.ts';
import type { Outbox } from './outbox.ts';
import { readRecipients } from './read-recipients.ts';

type Invited = Omit<Parameters<typeof invitationMail>[0], 'link'> & { readonly token: string };

/** Mail to members and those who are to become some. */
export type MemberMail = {
  /** Resolves within five seconds: true if the mail server has taken the invitation. Never rejects. */
  readonly sendInvitation: (invited: Invited) => Promise<boolean>;
  /**
   * Sends links to the logins with this email, if there are any, after this call: nothing about it, not even its time, says whether there
   * is. What fails is in the log.
   * @param email in lower case.
   */
  readonly requestReset: (email: string, request: MemberRequest) => void;
  /** Puts mails to the members of an account who have certain roles into the outbox, in the transaction of what they are told. */
  readonly tellMembers: (tx: StoreTransaction, told: ToldMembers, nowMs: number) => Promise<void>;
  /** Breaks off what is being sent; the outbox keeps it for the next process. Call it before the store is closed. */
  readonly close: () => Promise<void>;
};

/** What members of an account are told. */
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
  /** The base URL that links begin with: never one that a request brought along, which could be anybody's. */
  readonly baseUrl: () => Promise<string>;
  readonly log: Pick<Logger, 'error'>;
};

/** Each reads and writes the store. */
const RESETS_AT_ONCE = 2;
const RESETS_WAITING = 100;
/** Creates the mail of an installation. */
export function createMemberMail({ members, mailer, outbox, baseUrl, log }: MemberMailParts): MemberMail {
  const waiting: (() => Promise<void>)[] = [];
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const startNext = (): void => {
    const next = running.size < RESETS_AT_ONCE ? waiting.shift() : undefined;
    if (next === undefined) return;
    const run = next().finally(() => {
      running.delete(run);
      startNext();
    });
    running.add(run);
  };

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
      log.error({ reason: toServiceError(error).code }, 'a link that resets a password was not made');
    }
  };

  return {
    tellMembers: async (tx, { kind, accountId, roles, mailOf }, nowMs) => {
      const { account, addresses } = await readRecipients(tx, accountId, roles);
      const mails = addresses.map((to) => ({ kind, mail: mailOf(to, account) }));
      await outbox.add(tx, mails, nowMs);
    },
    sendInvitation: async ({ token, ...invited }) => {
      const link = linkTo(await baseUrl(), 'invitation', token);
      const outcome = await mailer.send(invitationMail({ ...invited, link }));
      if (outcome.kind === 'taken') return true;
      log.error({ reason: outcome.reason }, 'an invitation was not mailed');
      return false;
    },
    requestReset: (email, request) => {
      if (isClosed || waiting.length >= RESETS_WAITING)
        return log.error('a link that resets a password was not made: too many are waiting');
      waiting.push(() => sendReset(email, request));
      setImmediate(startNext);
    },
    close: async () => {
      isClosed = true;
      waiting.length = 0;
      mailer.close();
      await Promise.all(running);
    },
  };
}
