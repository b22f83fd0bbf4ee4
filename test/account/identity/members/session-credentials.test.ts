import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Keyring } from '../../../../src/account/identity/api-keys/keyring.ts';
import { joinGateways } from '../../../../src/account/processes/gateway.ts';
import { openSessionCredentials } from '../../../../src/account/identity/members/session-credentials.ts';
import { removeMember } from '../../../../src/account/identity/members/members.ts';
import { signOut } from '../../../../src/account/identity/members/sessions.ts';
import { TokenRing } from '../../../../src/account/identity/tokens/token-ring.ts';
import { describeStores } from '../../../store/backends.ts';
import { NOW_MS } from '../../new-customer.ts';
import { at, memberWorld, MINUTE_MS } from './member-world.ts';

describeStores('credentials of a session', (backend) => {
  const store = backend.shared();

  /** Two processes on the store, with a clock of their own. */
  function processes() {
    let nowMs = NOW_MS;
    const clock = { nowMs: () => nowMs };
    const open = async () => {
      const [keyring, tokens] = [new Keyring(), new TokenRing()];
      const log = pino({ level: 'silent' });
      const gateway = await joinGateways({ store: store(), clock, log });
      onTestFinished(gateway.close);
      const credentials = await openSessionCredentials({
        ownId: gateway.id,
        store: store(),
        keyring,
        tokens,
        clock,
        log,
      });
      const kindsOf = ({
        apiKey,
        accessToken,
      }: {
        readonly apiKey: string;
        readonly accessToken: string;
      }) => [keyring.find(apiKey, nowMs).kind, tokens.find(accessToken, nowMs).kind];
      return { keyring, tokens, credentials, kindsOf };
    };
    return { open, pass: (ms: number) => (nowMs += ms) };
  }

  test('work for ten minutes, then expire, and are forgotten', async () => {
    const { freshOwner } = memberWorld(store());
    const { holder } = await freshOwner();
    const { open, pass } = processes();
    const { credentials, keyring, tokens, kindsOf } = await open();
    const made = await credentials.create(store(), holder, ['wallets:read']);
    expect(tokens.find(made.accessToken, NOW_MS)).toMatchObject({
      kind: 'valid',
      scopes: new Set(['wallets:read']),
      member: { memberId: holder.memberId, userId: holder.userId, sessionId: holder.sessionId },
    });
    pass(10 * MINUTE_MS - 1);
    expect(kindsOf(made)).toEqual(['valid', 'valid']);
    pass(1);
    expect(kindsOf(made)).toEqual(['expired', 'expired']);
    pass(2 * MINUTE_MS);
    await credentials.check();
    expect([kindsOf(made), keyring.size, tokens.size]).toEqual([['unknown', 'unknown'], 0, 0]);
    await credentials.close();
  });

  test('are refused once their session was ended or their member removed, in another process too', async () => {
    const { deps, freshOwner, newMember, enter, holderOf } = memberWorld(store());
    const owner = await freshOwner();
    const member = await newMember(owner.holder, 'developer');
    const { open } = processes();
    const { credentials, kindsOf } = await open();
    const holders = [
      await holderOf((await enter(member.email)).token),
      await holderOf((await enter(member.email)).token),
    ] as const;
    const [first, second] = [
      await credentials.create(store(), holders[0], []),
      await credentials.create(store(), holders[1], []),
    ];
    await signOut(deps, holders[0], at());
    await credentials.check();
    expect([kindsOf(first), kindsOf(second)]).toEqual([
      ['revoked', 'revoked'],
      ['valid', 'valid'],
    ]);
    await removeMember(deps, owner.holder, member.memberId, at());
    await credentials.check();
    expect(kindsOf(second)).toEqual(['revoked', 'revoked']);
    await credentials.close();
  });

  test('of which a request is served are refused once their session was ended, also long after they have expired', async () => {
    const { deps, freshOwner } = memberWorld(store());
    const { holder } = await freshOwner();
    const { open, pass } = processes();
    const { credentials, tokens, keyring } = await open();
    const made = await credentials.create(store(), holder, []);
    const found = tokens.find(made.accessToken, NOW_MS);
    const tokenId = found.kind === 'valid' ? found.tokenId : '';
    const inUse = [tokens.use(tokenId), tokens.use(tokenId)];
    pass(60 * MINUTE_MS);
    await credentials.check();
    expect(tokens.isRevoked(tokenId)).toBe(false);
    inUse.pop()?.[Symbol.dispose]();
    await signOut(deps, holder, at());
    await credentials.check();
    expect(tokens.isRevoked(tokenId)).toBe(true);
    inUse.pop()?.[Symbol.dispose]();
    await credentials.check();
    expect([tokens.size, keyring.size]).toEqual([0, 0]);
    await credentials.close();
  });

  test('that are created while ended sessions are looked for work on', async () => {
    const { freshOwner } = memberWorld(store());
    const [before, meanwhile] = [await freshOwner(), await freshOwner()];
    const { credentials, kindsOf } = await processes().open();
    const first = await credentials.create(store(), before.holder, []);
    const found = Promise.withResolvers<readonly unknown[]>();
    const query = { innerJoin: () => ({ where: () => found.promise }) };
    vi.spyOn(store().db, 'select').mockImplementationOnce(() => ({ from: () => query }) as never);
    const checking = credentials.check();
    const second = await credentials.create(store(), meanwhile.holder, []);
    found.resolve([]);
    await checking;
    expect([kindsOf(first), kindsOf(second)]).toEqual([
      ['revoked', 'revoked'],
      ['valid', 'valid'],
    ]);
    await credentials.close();
  });

  test('are at most eight of a session: the oldest make room', async () => {
    const { freshOwner } = memberWorld(store());
    const { holder } = await freshOwner();
    const { credentials, kindsOf } = await processes().open();
    const made: Awaited<ReturnType<typeof credentials.create>>[] = [];
    for (let index = 0; index < 10; index += 1) made.push(await credentials.create(store(), holder, []));
    expect(made.map((each) => kindsOf(each)[0])).toEqual([
      ...Array(2).fill('revoked'),
      ...Array(8).fill('valid'),
    ]);
    await credentials.close();
  });

  test('work at every process that shares the store, as soon as they are shown', async () => {
    if (store().listen === undefined) return;
    const { deps, freshOwner } = memberWorld(store());
    const { holder } = await freshOwner();
    const { open } = processes();
    const [here, there] = [await open(), await open()];
    for (let index = 0; index < 20; index += 1) {
      const made = await here.credentials.create(store(), holder, ['wallets:read']);
      expect(there.kindsOf(made)).toEqual(['valid', 'valid']);
    }
    await signOut(deps, holder, at());
    await there.credentials.check();
    const late = await here.credentials.create(store(), holder, []);
    await there.credentials.check();
    expect(there.kindsOf(late)).toEqual(['revoked', 'revoked']);
    await Promise.all([here.credentials.close(), there.credentials.close()]);
  });
});
