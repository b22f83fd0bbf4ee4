import { randomBytes } from 'node:crypto';
import type { HeaderMap } from '../../http/respond.ts';

/** The rights of a page in addition to running its own scripts and styles and calling this server. */
export type PagePolicy = {
  /** Written into the page too; a new one for each response. */
  readonly nonce: string;
  /** Other sources that it may connect to. */
  readonly connect?: readonly string[];
};

const NONCE_BYTES = 18;

/** Returns a nonce that nobody can guess (Content Security Policy Level 3, section 7.1). */
export function createNonce(): string {
  return randomBytes(NONCE_BYTES).toString('base64');
}

/** WebSocket at the address that was requested: browsers before Content Security Policy Level 3 do not count it as 'self'. An IPv6 address cannot be written in a policy. */
export function socketSources(baseUrl: string): readonly string[] {
  const { host, protocol } = new URL(baseUrl);
  return host.startsWith('[') ? [] : [`${protocol === 'https:' ? 'wss' : 'ws'}://${host}`];
}

/** Headers of everything that belongs to a page: no other site frames, embeds or reads it, and no type is guessed. */
export const OWN_SITE_HEADERS: HeaderMap = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

/**
 * Returns the headers of a page. Only scripts and style sheets that carry the nonce run, and scripts that these load; strings never become code
 * or markup (Trusted Types). The page is not cached, since a nonce is for one response.
 */
export function pageHeaders({ nonce, connect = [] }: PagePolicy): HeaderMap {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `style-src 'nonce-${nonce}'`,
    // Icons are drawn from data: addresses.
    "img-src 'self' data:",
    ["connect-src 'self'", ...connect].join(' '),
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ];
  return { ...OWN_SITE_HEADERS, 'content-security-policy': policy.join('; '), 'cache-control': 'no-store' };
}
