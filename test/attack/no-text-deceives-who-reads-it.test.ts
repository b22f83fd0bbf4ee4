import { expect, test } from 'vitest';
import { BODY_CHECKS } from '../../generated/account/body-checks.js';
import { BODY_CHECKS as WALLET_CHECKS } from '../../generated/wallets/body-checks.js';
import { checkAgainstBody } from '../../runtime/check-body.ts';
import type { BodyCheck } from '../../runtime/check-body.ts';
import { withEscapes } from '../../src/core/terminal.ts';
import { readAction } from '../support/run-action.ts';

// Operators and other members read what customers write, on terminals too: it neither reverses, hides nor forges what is around it.

const CHECKS = { ...BODY_CHECKS, ...WALLET_CHECKS } as unknown as Readonly<Record<string, BodyCheck>>;
const HOOK = { name: 'hook', url: 'https://hooks.example.com/' };
const NOTE = { amount_usd: '1', reason: 'kindness', reference: 'ticket 1' };
const WORK = { starts_at: '2030-01-01T00:00:00Z', ends_at: '2030-01-01T01:00:00Z', note: 'disks' };

/** Operation, a body that it takes, and the member that others read. */
const TEXTS: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  ['createKey', { name: 'k' }, 'name'],
  ['createToken', { name: 't', scopes: ['account:read'] }, 'name'],
  ['createWebhook', HOOK, 'name'],
  ['createWebhook', HOOK, 'url'],
  ['updateWebhook', HOOK, 'name'],
  ['updateWebhook', HOOK, 'url'],
  ['requestLimit', { limit: 'plan', wanted: 'gold', reason: 'a sale' }, 'reason'],
  ['requestLimit', { limit: 'plan', wanted: 'gold', reason: 'a sale' }, 'wanted'],
  ['refuseLimitRequest', { reason: 'no' }, 'reason'],
  ['creditAccount', { amount_usd: '1', reference: 'invoice 7' }, 'reference'],
  ['bookPayment', { amount_usd: '1', reference: 'pi_1' }, 'reference'],
  ['issueCreditNote', NOTE, 'reason'],
  ['issueCreditNote', NOTE, 'reference'],
  ['announceWork', WORK, 'note'],
  ['changeBillingSettings', { recipient: 'Acme\n1 Main Street' }, 'recipient'],
  ['createWallet', { label: 'deposit' }, 'label'],
];

const HIDDEN = [
  '\u202e',
  '\u200b',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\u00ad',
  '\u0007',
  '\u{e0041}',
  '\ud800',
  '\u3164',
  '\uffa0',
  '\u2800',
  '\u034f',
];

const faultOf = (character: string): string =>
  character.isWellFormed()
    ? `has a character that is not printable: ${nameOf(character)}`
    : 'has a lone surrogate, which is not a character';

const nameOf = (character: string): string =>
  `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`;

function problemsOf(operation: string, body: unknown) {
  const check = CHECKS[operation];
  if (check === undefined) throw new Error(`${operation} takes no body`);
  const checked = checkAgainstBody(check, body);
  return checked.kind === 'problems' ? checked.problems : [];
}

test.each(TEXTS)('%s %j refuses characters that are not printable in %s', (operation, body, member) => {
  const given = String(body[member]);
  for (const text of [
    given,
    `${given} £, 名前, émile, 🙂, خانه\u200cها, 👨\u200d👩\u200d👧, ❤️\u200d🔥, 1️⃣, ᠮᠣᠩᠭᠣᠯ\u180b`,
  ])
    expect(problemsOf(operation, { ...body, [member]: text })).toEqual([]);
  expect(problemsOf(operation, { ...body, [member]: `${given} \u200d` })).toHaveLength(1);
  for (const character of HIDDEN)
    expect(problemsOf(operation, { ...body, [member]: `${given}${character}x` })).toEqual([
      { pointer: `/${member}`, detail: faultOf(character) },
    ]);
});

test.each(TEXTS)('%s %j refuses a text of spaces only in %s', (operation, body, member) => {
  for (const text of [' ', '\u00a0', '\u2003\u3000 '])
    expect(problemsOf(operation, { ...body, [member]: text })).toContainEqual({
      pointer: `/${member}`,
      detail: 'shows nothing: it has spaces only',
    });
});

test('so do the commands of the operator', () => {
  expect(() => readAction(['keys', 'create', '--name', '\u00a0'])).toThrow('printable');
  for (const character of HIDDEN) {
    const name = `a${character}`;
    expect(() => readAction(['keys', 'create', '--name', name])).toThrow('printable');
    const announce = ['planned-work', 'announce', '--from', '2d', '--for', '1h'];
    expect(() => readAction([...announce, '--note', name])).toThrow('printable');
  }
});

test('commands print what was stored before as escapes, which JSON reads as it was', () => {
  const out: string[] = [];
  const write = (text: string): void => void out.push(text);
  const terminal = withEscapes({ env: {}, writeOut: write, writeError: write });
  const name = 'pay\u202eroll\u200b\u{e0041}, 名前 🙂';
  terminal.writeOut(`NAME\n${name}\n`);
  terminal.writeError(`keyslot: ${name}\n`);
  terminal.writeOut(`${JSON.stringify({ name })}\n`);
  const escaped = 'pay\\u202eroll\\u200b\\udb40\\udc41, 名前 🙂';
  expect(out.slice(0, 2)).toEqual([`NAME\n${escaped}\n`, `keyslot: ${escaped}\n`]);
  expect(out[2]).toBe(`{"name":"${escaped}"}\n`);
  expect(JSON.parse(String(out[2]))).toEqual({ name });
});
