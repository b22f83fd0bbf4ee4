import { hash } from 'node:crypto';

/** SHA-256 of a session's token as hexadecimal digits: all that is stored of it. */
export function digestToken(token: string): string {
  return hash('sha256', token, 'hex');
}
