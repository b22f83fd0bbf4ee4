import { eq } from '../../src/store/drizzle.ts';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { idempotencyKeys } from '../../src/store/access-tables.ts';
import { eventually } from '../../src/core/eventually.ts';
import { parseCsv } from './streams/parse-csv.ts';
import { readLines } from './streams/read-lines.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

const service = useWalletService();
const DAY_MS = 86_400_000;
const COUNT = 10_000;

type Wallet = {
  readonly address: string;
  readonly derivation_path?: string;
  readonly mnemonic?: string;
};

/** Sends requests on connections of its own. */
function newClient(token: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return (path: string, body: object, headers: Readonly<Record<string, string>>) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const asked = request(`${service().baseUrl}/v1/wallets${path}`, {
        agent,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
      });
      asked.on('response', resolve).on('error', reject);
      asked.end(JSON.stringify(body));
    });
}

/** Reads some lines of a stream and then no more; leaves when the server has charged for all that the system took of it. */
async function readSome(account: TestAccount, answer: IncomingMessage, most: number) {
  let text = '';
  const { promise, resolve } = Promise.withResolvers<void>();
  answer.on('data', (bytes: Buffer) => {
    text += String(bytes);
    if (text.split('\n').length <= most) return;
    answer.pause();
    resolve();
  });
  await promise;
  const { charged } = await eventually('the stream is settled', async () => {
    const now = await account.balance();
    return now.reserved === 0n ? now : undefined;
  });
  answer.destroy();
  return { lines: text.split('\n').slice(0, -1), charged };
}

/** Asks again until the first response is known to have ended. */
const again = (account: TestAccount, path: string, body: object, headers: Readonly<Record<string, string>>) =>
  eventually('the first response has ended', async () => {
    const answer = await account.send('POST', `/v1/wallets${path}`, body, headers);
    if (answer.status !== 409) return answer;
    const problem = (await answer.clone().json()) as { code: string };
    return problem.code === 'idempotency_key_in_use' ? undefined : answer;
  });

const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];
const walletsOf = (lines: readonly string[]) => lines.map((line) => JSON.parse(line) as Wallet);
const linesOf = async (answer: Response) => (await answer.text()).trimEnd().split('\n');
const headersOf = (key: string, received: number | string) => ({
  'idempotency-key': key,
  'x-wallets-received': String(received),
});
const REFUSED = [409, 'idempotency_secret_not_kept'];

test('a client that leaves a batch gets the rest of what it was charged for, once', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  const body = { count: COUNT };
  const answer = await newClient(account.token)('/batch', body, { 'idempotency-key': 'k' });
  const first = await readSome(account, answer, 256);
  const charged = Number(first.charged / 1_000n);
  expect(charged).toBeGreaterThan(first.lines.length);

  const rest = await again(account, '/batch', body, headersOf('k', first.lines.length));
  expect([rest.status, rest.headers.get('x-wallet-count')]).toEqual([
    200,
    String(charged - first.lines.length),
  ]);
  const all = walletsOf([...first.lines, ...(await linesOf(rest))]).map(({ address }) => address);
  expect([all.length, new Set(all).size]).toEqual([charged, charged]);
  expect(await account.balance()).toMatchObject({ charged: first.charged, reserved: 0n });

  expect(await codeOf(await again(account, '/batch', body, headersOf('k', 0)))).toEqual(REFUSED);
  const plain = await account.send('POST', '/v1/wallets/batch', body, { 'idempotency-key': 'k' });
  expect(await codeOf(plain)).toEqual(REFUSED);
  const records = await service()
    .store.db.select()
    .from(auditRecords)
    .where(eq(auditRecords.accountId, account.id));
  expect(records.map(({ outcome, units }) => [outcome, units])).toContainEqual(['replayed', charged]);
  expect(await account.balance()).toMatchObject({ charged: first.charged });
});

test.each([
  ['sends another request on the connection', 'next'],
  ['ends the connection in order', 'end'],
  ['had asked for the connection to be closed', 'close'],
] as const)('a client that was seen to take it all gets nothing again: it %s', async (_, how) => {
  const account = await service().newAccount();
  const body = { count: 300 };
  const ask = newClient(account.token);
  const close = how === 'close' ? { connection: 'close' } : {};
  const answer = await ask('/batch', body, { 'idempotency-key': 'k', ...close });
  const { socket } = answer;
  expect(await readLines(answer)).toMatchObject({ isWhole: true });
  if (how === 'end') socket.destroy();
  const askAgain = how === 'end' ? newClient(account.token) : ask;
  const second = () => askAgain('/batch', body, headersOf('k', 0));
  const codes = await eventually('it is answered', async () => {
    const refused = await second();
    const { code } = JSON.parse((await refused.toArray()).join('')) as { code: string };
    return code === 'idempotency_key_in_use' ? undefined : [refused.statusCode, code];
  });
  expect(codes).toEqual(REFUSED);
  expect(await account.balance()).toMatchObject({ charged: 300_000n });
});

test('nothing is made again while the first response is read, nor for another body', async () => {
  const account = await service().newAccount();
  const body = { count: 500 };
  const answer = await newClient(account.token)('/batch', body, { 'idempotency-key': 'k' });
  const during = await account.send('POST', '/v1/wallets/batch', body, headersOf('k', 10));
  expect(await codeOf(during)).toEqual([409, 'idempotency_key_in_use']);
  const other = await account.send('POST', '/v1/wallets/batch', { count: 501 }, headersOf('k', 10));
  expect(await codeOf(other)).toEqual([409, 'idempotency_key_reused']);
  answer.destroy();
});

test('of many that ask again at once one gets the rest', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  const body = { count: COUNT };
  const answer = await newClient(account.token)('/batch', body, { 'idempotency-key': 'k' });
  const { lines, charged } = await readSome(account, answer, 1_000);
  await eventually('the first response has ended', async () => {
    const [row] = await service()
      .store.db.select()
      .from(idempotencyKeys)
      .where(eq(idempotencyKeys.accountId, account.id));
    return row?.ownerId === null ? true : undefined;
  });
  const answers = await Promise.all(
    Array.from({ length: 6 }, () =>
      account.send('POST', '/v1/wallets/batch', body, headersOf('k', lines.length)),
    ),
  );
  const texts = await Promise.all(answers.map((each) => each.text()));
  const made = answers.flatMap(({ status }, at) => (status === 200 ? [texts[at] ?? ''] : []));
  expect(made.map((text) => text.trimEnd().split('\n').length)).toEqual([
    Number(charged / 1_000n) - lines.length,
  ]);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  expect((await account.balance()).charged).toBe(charged);
});

test('no more is made again than was charged, and nothing after 24 hours or without an earlier request', async () => {
  const account = await service().newAccount();
  const body = { count: 4_000 };
  const answer = await newClient(account.token)('/batch', body, { 'idempotency-key': 'k' });
  const { lines, charged } = await readSome(account, answer, 10);
  const ask = (headers: Readonly<Record<string, string>>) => again(account, '/batch', body, headers);
  const tooMany = await ask(headersOf('k', Number(charged / 1_000n) + 1));
  expect(await tooMany.json()).toMatchObject({
    status: 400,
    code: 'wallets_received_invalid',
    detail: expect.stringContaining(`at most ${charged / 1_000n} for the earlier request`),
  });
  for (const wrong of ['-1', '1.5', '01', 'ten', '', '99999999999'])
    expect(await codeOf(await ask(headersOf('k', wrong)))).toEqual([400, 'wallets_received_invalid']);
  expect(await codeOf(await ask({ 'x-wallets-received': '0' }))).toEqual([400, 'wallets_received_invalid']);
  expect(await codeOf(await ask(headersOf('never', 0)))).toEqual([409, 'idempotency_nothing_charged']);
  const nowMs = service().clock.nowMs();
  service().clock.set(nowMs + DAY_MS);
  onTestFinished(() => service().clock.set(nowMs));
  expect(await codeOf(await ask(headersOf('k', lines.length)))).toEqual([409, 'idempotency_nothing_charged']);
  expect((await account.balance()).charged).toBe(charged);
});

test('managed wallets are not made again, but told again', async () => {
  const account = await service().newAccount();
  const body = { count: 3, custody: 'managed' };
  const first = await account.send('POST', '/v1/wallets/batch', body, { 'idempotency-key': 'k' });
  const refused = await again(account, '/batch', body, headersOf('k', 1));
  expect(await codeOf(refused)).toEqual([400, 'wallets_received_invalid']);
  const told = await account.send('POST', '/v1/wallets/batch', body, { 'idempotency-key': 'k' });
  expect(await told.text()).toBe(await first.text());
});

test('a key of an installation that did not promise it gets nothing again', async () => {
  const account = await service().newAccount();
  const body = { count: 4_000 };
  const answer = await newClient(account.token)('/batch', body, { 'idempotency-key': 'k' });
  const { lines } = await readSome(account, answer, 10);
  const isOwn = eq(idempotencyKeys.accountId, account.id);
  await service().store.db.update(idempotencyKeys).set({ charged: null }).where(isOwn);
  expect(await codeOf(await again(account, '/batch', body, headersOf('k', lines.length)))).toEqual(REFUSED);
});

const TREE = { mnemonic_words: 12, accounts: { start: 0, count: 10_000 }, format: 'jsonl' };

test('a tree continues with the words of its first line', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  const answer = await newClient(account.token)('/hd', TREE, { 'idempotency-key': 'k' });
  const { lines, charged } = await readSome(account, answer, 300);
  const { mnemonic_words: _, ...others } = TREE;
  const { mnemonic = '' } = walletsOf(lines.slice(0, 1))[0] ?? {};
  const rest = await again(account, '/hd', { ...others, mnemonic }, headersOf('k', lines.length));
  const all = walletsOf([...lines, ...(await linesOf(rest))]);
  const children = Number(charged / 500n);
  expect([rest.headers.get('x-wallet-count'), all.length]).toEqual([
    String(children + 1 - lines.length),
    children + 1,
  ]);
  expect(all.map(({ derivation_path: path }) => path)).toEqual([
    'm',
    ...Array.from({ length: children }, (_child, x) => `m/44'/501'/${x}'/0'`),
  ]);
  const whole = await account.client.createHdWallets({ mnemonic, accounts: { start: 0, count: 400 } });
  expect(all.slice(1, 401).map(({ address }) => address)).toEqual(
    whole.wallets.map(({ address }) => address),
  );
  expect(await account.balance()).toMatchObject({ charged: charged + 200_000n });
});

test('a tree is made again whole, from other words, and its CSV has its columns', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  const body = { ...TREE, format: 'csv' };
  const answer = await newClient(account.token)('/hd', body, { 'idempotency-key': 'k' });
  const { lines, charged } = await readSome(account, answer, 300);
  const whole = await again(account, '/hd', body, headersOf('k', 0));
  const [columns, master, ...children] = parseCsv(await whole.text());
  expect([columns?.length, master?.[5], children.length]).toEqual([7, 'm', Number(charged / 500n)]);
  expect(master?.[4]).not.toBe(parseCsv(`${lines.join('\n')}\n`)[1]?.[4]);
  expect(await account.balance()).toMatchObject({ charged });
});

test('the rest of a tree as CSV has its columns first', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  const body = { ...TREE, format: 'csv' };
  const answer = await newClient(account.token)('/hd', body, { 'idempotency-key': 'k' });
  const { lines } = await readSome(account, answer, 300);
  const [columns, master = []] = parseCsv(`${lines.join('\n')}\n`);
  const { mnemonic_words: _, ...others } = body;
  // The header is a line, and no wallet.
  const received = lines.length - 1;
  const rest = await again(account, '/hd', { ...others, mnemonic: master[4] }, headersOf('k', received));
  const [again_, first] = parseCsv(await rest.text());
  expect([again_, first?.[5]]).toEqual([columns, `m/44'/501'/${received - 1}'/0'`]);
});

test.each([
  ['', {}, 1_000n, 201],
  ['/hd', { mnemonic_words: 12, accounts: { start: 0, count: 3 } }, 1_500n, 200],
] as const)(
  'one answer that was charged and not read is made again: %s',
  async (path, body, price, status) => {
    const account = await service().newAccount();
    const { port, hostname } = new URL(service().baseUrl);
    const socket = connect(Number(port), hostname).pause();
    const text = JSON.stringify(body);
    socket.write(
      `POST /v1/wallets${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${account.token}\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    await eventually('it is charged', async () =>
      (await account.balance()).charged === price ? true : undefined,
    );
    const during = await account.send('POST', `/v1/wallets${path}`, body, headersOf('k', 0));
    expect(await codeOf(during)).toEqual([409, 'idempotency_key_in_use']);
    socket.resetAndDestroy();
    expect((await again(account, path, body, headersOf('k', 0))).status).toBe(status);
    expect(await codeOf(await again(account, path, body, headersOf('k', 0)))).toEqual(REFUSED);
    expect(await account.balance()).toMatchObject({ charged: price });
  },
);
