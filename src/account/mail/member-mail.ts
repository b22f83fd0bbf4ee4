import type { Logger } from 'pino';
import { toServiceError } from '../../base/service-error.ts';
import { readAccount } from '../accounts.ts';
import { linkTo } from '../members/member-links.ts';
import type { MemberDeps, MemberRequest } from '../members/member-deps.ts';
import { listMembers } from '../members/members.ts';
import { createResetLink } from '../members/password-resets.ts';
import type { Role } from '../members/sessions.ts';
import { invitationMail, resetMail, stoppedMail } from './mail-texts.ts';
import type { Mailer } from './mailer.ts';

type Invited = Omit<Parameters<typeof invitationMail>[0], 'link'> & { readonly token: string };

/** Mail to members and those who are to become some. */
export type MemberMail = {
  /** Resolves within five seconds: true if the mail server has taken the invitation. Never rejects. */
  readonly sendInvitation: (invited: Invited) => Promise<boolean>;
  /**
   * Sends a link to the login with this email, if there is one, after this call: nothing about it, not even its time, says whether there
   * is. What fails is in the log.
   * @param email in lower case.
   */
  readonly requestReset: (email: string, request: MemberRequest) => void;
  /** Tells the owners and developers of an account that a webhook has stopped, after this call. What fails is in the log. */
  readonly tellStopped: (stopped: StoppedWebhook) => void;
  /** Lets what is being sent end, at most a moment, and drops what waits. Call it before the store is closed. */
  readonly close: () => Promise<void>;
};

/** A webhook that stopped by itself. */
export type StoppedWebhook = {
  readonly accountId: string;
  /** The host of its URL. */
  readonly host: string;
  readonly stop: 'gone' | 'exhausted';
};

export type MemberMailParts = {
  readonly members: Pick<MemberDeps, 'store'>;
  readonly mailer: Mailer;
  /** The base URL that links begin with: never one that a request brought along, which could be anybody's. */
  readonly baseUrl: () => Promise<string>;
  readonly log: Pick<Logger, 'error'>;
};

/** Each reads and writes the store, and waits for the mail server. */
const RESETS_AT_ONCE = 2;
const RESETS_WAITING = 100;
/** The roles that manage webhooks. */
const TELLS: ReadonlySet<Role> = new Set(['owner', 'developer']);

/** Creates the mail of an installation. */
export function createMemberMail({ members, mailer, baseUrl, log }: MemberMailParts): MemberMail {
  const waiting: (() => Promise<void>)[] = [];
  const running = new Set<Promise<void>>();
  const telling = new Set<Promise<void>>();
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
      const link = await createResetLink(members, email, request);
      if (link === undefined) return;
      const { token, expiresAt } = link;
      await mailer.send(resetMail({ to: email, link: linkTo(await baseUrl(), 'reset', token), expiresAt }));
    } catch (error) {
      log.error({ reason: toServiceError(error).code }, 'a link that resets a password was not made');
    }
  };

  const sendStopped = async ({ accountId, host, stop }: StoppedWebhook): Promise<void> => {
    try {
      const { name: account } = await readAccount(members.store, accountId);
      const told = await listMembers(members, accountId);
      for (const { email: to, role } of told)
        if (TELLS.has(role)) await mailer.send(stoppedMail({ to, account, host, stop }));
    } catch (error) {
      log.error({ reason: toServiceError(error).code }, 'nobody was told that a webhook has stopped');
    }
  };

  return {
    tellStopped: (stopped) => {
      if (isClosed) return;
      const run = sendStopped(stopped).finally(() => telling.delete(run));
      telling.add(run);
    },
    sendInvitation: async ({ token, ...invited }) =>
      mailer.send(invitationMail({ ...invited, link: linkTo(await baseUrl(), 'invitation', token) })),
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
      await Promise.all([...running, ...telling]);
    },
  };
}
