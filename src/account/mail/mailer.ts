import type { Logger } from 'pino';
import type { SmtpServer } from '../../config/smtp-url.ts';
import { readEmail } from '../members/ensure-login.ts';

/** A mail of plain text to one address. */
export type Mail = { readonly to: string; readonly subject: string; readonly text: string };

/** Sends mail. */
export type Mailer = {
  /** Resolves within five seconds: true if the mail server has taken the mail. Why it has not is in the log. Never rejects. */
  readonly send: (mail: Mail) => Promise<boolean>;
  /** Breaks off what is being sent, and refuses more. */
  readonly close: () => void;
};

export type MailerOptions = {
  readonly server: SmtpServer;
  /** The address that mails are sent from. */
  readonly from: string;
  readonly log: Pick<Logger, 'error'>;
  /** Default 5,000 ms. */
  readonly deadlineMs?: number;
};

const DEADLINE_MS = 5_000;
/** Each is a connection. */
const MOST_AT_ONCE = 20;

/** Creates a mailer. Nothing is loaded or connected before the first mail. */
export function createMailer({ server, from, log, deadlineMs = DEADLINE_MS }: MailerOptions): Mailer {
  const closing = new AbortController();
  let opening: ReturnType<typeof openTransport> | undefined;
  const open = (): ReturnType<typeof openTransport> => (opening ??= openTransport(server, deadlineMs));
  let sending = 0;
  return {
    send: async ({ to, subject, text }) => {
      if (sending >= MOST_AT_ONCE) {
        log.error('a mail was not sent: too many are being sent');
        return false;
      }
      sending += 1;
      try {
        const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(deadlineMs)]);
        const transport = await open();
        // Nothing that could be read as two addresses.
        const envelope = { from, to: [readEmail(to)] };
        // Answering programs leave it alone (RFC 3834).
        const headers = { 'Auto-Submitted': 'auto-generated' };
        const sender = { name: 'Keyslot', address: from };
        await transport.sendMail({ envelope, from: sender, to, subject, text, headers, signal });
        return true;
      } catch (error) {
        log.error({ reason: describe(error) }, 'a mail was not sent');
        return false;
      } finally {
        sending -= 1;
      }
    },
    close: () => closing.abort(),
  };
}

async function openTransport({ host, port, security, login }: SmtpServer, deadlineMs: number) {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    ...{ host, port, secure: security === 'tls' },
    ...{ requireTLS: security === 'starttls', ignoreTLS: security === 'none' },
    ...(login !== undefined && { auth: { user: login.user, pass: login.password } }),
    // One that is broken off is not waited for.
    ...{ connectionTimeout: deadlineMs, dnsTimeout: deadlineMs, socketCloseTimeout: 0 },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** The codes of the failure and of the server's answer; their text could repeat an address. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const codes = ['code', 'responseCode'].map((name) => Reflect.get(error, name) as unknown);
  const known = codes.filter((code) => typeof code === 'string' || typeof code === 'number');
  return known.length > 0 ? known.join(' ') : error.name;
}
