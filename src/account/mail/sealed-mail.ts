import type { InstallationKey } from '../installation-key.ts';
import { seal, unseal } from '../seal.ts';
import type { Mail } from './mailer.ts';

/** Seals a mail for its row under the installation key: it may have a link that opens a login. */
export function sealMail(key: InstallationKey, id: string, { to, subject, text }: Mail): Uint8Array {
  return seal(key.derive('outgoing mail'), id, Buffer.from(JSON.stringify([to, subject, text])));
}

/** Opens a mail. @throws Error, saying what to do, when it was sealed under another installation key. */
export function openMail(key: InstallationKey, id: string, sealed: Uint8Array): Mail {
  try {
    const text = Buffer.from(unseal(key.derive('outgoing mail'), id, sealed)).toString('utf8');
    const [to, subject, body] = JSON.parse(text) as readonly [string, string, string];
    return { to, subject, text: body };
  } catch (error) {
    const advice = `a mail was not sealed with ${key.path}: restore that key, or give all servers of one store the same one by installation_key_file`;
    throw new Error(advice, { cause: error });
  }
}
