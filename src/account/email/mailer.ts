import { randomUUID } from 'node:crypto';
import type { SmtpServer } from '../../core/config/smtp-url.ts';
import { readEmail } from '../identity/members/logins.ts';

/** A plain-text email to one address. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** The mail server's response to an email. `reason`: the codes of the failure and of the server's answer, without an address. */
export type SendOutcome =
  | { readonly kind: 'taken' }
  /** The server accepts this email neither now nor later (a reply 5xx to the sender, the recipient or the text). */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Another attempt may succeed. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Sends emails. */
export type Mailer = {
  /**
   * Resolves within five seconds. Never rejects.
   * @param id names the email in its Message-ID, so that a mail server may detect a repeated one. Default: a new one.
   */
  readonly send: (mail: Mail, id?: string) => Promise<SendOutcome>;
  /** Resolves to undefined if the mail server accepts a connection and the login, else to the codes of the failure. Sends nothing. */
  readonly check: () => Promise<string | undefined>;
  /** Aborts emails that are being sent, and refuses more. */
  readonly close: () => void;
};

export type MailerOptions = {
  readonly server: SmtpServer;
  /** The address that emails are sent from. */
  readonly from: string;
  /** Default 5,000 ms. */
  readonly deadlineMs?: number;
};

const DEADLINE_MS = 5_000;
/** Each is a connection. */
const MOST_AT_ONCE = 20;

/** Creates a mailer. Nothing is loaded or connected before the first email. */
export function createMailer({ server, from, deadlineMs = DEADLINE_MS }: MailerOptions): Mailer {
  const closing = new AbortController();
  let opening: ReturnType<typeof openTransport> | undefined;
  const open = (): ReturnType<typeof openTransport> => (opening ??= openTransport(server, deadlineMs));
  let sending = 0;
  return {
    send: async ({ to, subject, text }, id = randomUUID()) => {
      if (sending >= MOST_AT_ONCE) {
        return { kind: 'failed', reason: 'too many emails are being sent' };
      }
      sending += 1;
      try {
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(deadlineMs)]);
        const transport = await open();
        // `readEmail` refuses anything that could be read as two addresses.
        const envelope = { from, to: [readEmail(to)] };
        // Automatic responders do not answer it (RFC 3834).
        const headers = { 'Auto-Submitted': 'auto-generated' };
        const messageId = `<${id}${from.slice(from.lastIndexOf('@'))}>`;
        const sender = { name: 'Keyslot', address: from };
        await transport.sendMail({ envelope, from: sender, to, subject, text, headers, messageId, signal });
        return { kind: 'taken' };
      } catch (error) {
        return { kind: isRefusal(error) ? 'refused' : 'failed', reason: describe(error) };
      } finally {
        sending -= 1;
      }
    },
    check: async () => {
      const transport = await open();
      const late = Promise.withResolvers<Error>();
      const timer = setTimeout(late.resolve, deadlineMs, new Error('no answer in time'));
      const outcome = await Promise.race([transport.verify().catch((error: unknown) => error), late.promise]);
      clearTimeout(timer);
      transport.close();
      return outcome === true ? undefined : describe(outcome);
    },
    close: () => closing.abort(),
  };
}

async function openTransport({ host, port, security, login }: SmtpServer, deadlineMs: number) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(login !== undefined && { auth: { user: login.user, pass: login.password } }),
    // Aborted connections are not waited for.
    connectionTimeout: deadlineMs,
    dnsTimeout: deadlineMs,
    socketCloseTimeout: 0,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** A refused login, or a server that greets with 5xx, is a problem of the settings, not of the email. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const [code, reply] = ['code', 'responseCode'].map((name) => Reflect.get(error, name) as unknown);
  const isOfMail = code === 'EENVELOPE' || code === 'EMESSAGE';
  return isOfMail && typeof reply === 'number' && reply >= 500 && reply < 600;
}

/** The codes of the failure and of the server's answer; their text could repeat an address. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const codes = ['code', 'responseCode'].map((name) => Reflect.get(error, name) as unknown);
  const known = codes.filter((code) => typeof code === 'string' || typeof code === 'number');
  return known.length > 0 ? known.join(' ') : error.name;
}
