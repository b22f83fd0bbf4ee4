import { isIP } from 'node:net';
import { isLoopbackHost } from '../loopback.ts';

/** A mail server, as given by `mail.smtp_url`. */
export type SmtpServer = {
  readonly host: string;
  readonly port: number;
  /** `tls`: encrypted from the start; `starttls`: encrypted before anything is sent; `none`: on this machine, where nobody can listen. */
  readonly security: 'tls' | 'starttls' | 'none';
  readonly login: { readonly user: string; readonly password: string } | undefined;
};

const PORTS: Readonly<Record<string, number>> = { 'smtps:': 465, 'smtp:': 587 };
const HOST = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i;

/** Reads the URL of a mail server; undefined if it is not one. */
export function readSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text.trim());
  const standardPort = PORTS[url?.protocol ?? ''];
  if (url === null || standardPort === undefined) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (!HOST.test(host) && isIP(host) === 0) return undefined;
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '') return undefined;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined) return undefined;
  const port = url.port === '' ? standardPort : Number(url.port);
  const unencrypted = isLoopbackHost(host) ? 'none' : 'starttls';
  const security = url.protocol === 'smtps:' ? 'tls' : unencrypted;
  return { host, port, security, login: user === '' ? undefined : { user, password } };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
