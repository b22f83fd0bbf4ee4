import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acceptSetupLink } from '../../src/account/members/setup-links.ts';
import { isAccountRequest, readAccountRequest } from '../../src/admin/account-request.ts';
import { serveMembers } from '../../src/admin/serve-members.ts';
import { at, memberWorld, newEmail, PASSWORD, refusal } from '../account/members/member-world.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { describeStores } from '../store/backends.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();
const URL_START = 'https://keyslot.example/dashboard/setup#';

describeStores('commands about members', (backend) => {
  const store = backend.shared();

  async function setUp() {
    const deps = {
      store: store(),
      dataDir: directory(),
      dashboardUrl: () => 'https://keyslot.example/dashboard',
    };
    const account = await newCustomer(store());
    const ask = async (sent: object) => {
      const request: unknown = { account, ...sent };
      const checked = isAccountRequest(request) && readAccountRequest(request);
      if (!checked || !('kind' in checked) || !checked.kind.startsWith('members.'))
        throw new Error('no command about members');
      const result = await serveMembers(deps, checked as Parameters<typeof serveMembers>[1], NOW_MS);
      return JSON.parse(JSON.stringify(result)) as { readonly link: string; readonly members: unknown };
    };
    return { account, ask };
  }

  /** The token of a link, which is also in the file, for its owner only. */
  function readToken(link: string): string {
    const file = join(directory(), 'setup-link');
    expect(readFileSync(file, 'utf8')).toBe(`${link}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory())).toEqual(['setup-link']);
    expect(link.startsWith(URL_START)).toBe(true);
    return link.slice(URL_START.length);
  }

  test('make the first owner by a link that works once, and list the members', async () => {
    const { account, ask } = await setUp();
    const { deps } = memberWorld(store());
    expect(await ask({ kind: 'members.list' })).toEqual({ account, members: [] });
    const made = await ask({ kind: 'members.setup-link' });
    expect(made).toMatchObject({ account, expires_at: new Date(NOW_MS + 86_400_000).toISOString() });
    const person = { token: readToken(made.link), email: newEmail(), name: 'Ann', password: PASSWORD };
    expect(await acceptSetupLink(deps, person, at())).toMatchObject({ accountId: account, role: 'owner' });
    expect(await refusal(acceptSetupLink(deps, person, at()))).toBe('setupLinkInvalid');
    const { members } = await ask({ kind: 'members.list' });
    expect(members).toMatchObject([{ email: person.email, role: 'owner', has_second_factor: false }]);
  });

  test('reset a member, who chooses a new password by a link', async () => {
    const { account, ask } = await setUp();
    const { deps, enter } = memberWorld(store());
    const { link } = await ask({ kind: 'members.setup-link' });
    const person = { email: newEmail(), name: 'Ann', password: PASSWORD };
    await acceptSetupLink(deps, { ...person, token: readToken(link) }, at());
    const reset = await ask({ kind: 'members.reset', email: person.email });
    expect(reset).toMatchObject({ account, email: person.email });
    expect(await refusal(enter(person.email))).toBe('signInFailed');
    const password = 'a quite different passphrase';
    await acceptSetupLink(deps, { ...person, password, token: readToken(reset.link) }, at());
    expect(await refusal(enter(person.email, { password }))).toBe('none');
  });

  test('say what is not there', async () => {
    const { ask } = await setUp();
    const unknown = { kind: 'members.setup-link', account: 'nobody' };
    expect(await refusal(ask(unknown))).toBe('accountNotFound');
    expect(await refusal(ask({ kind: 'members.reset', email: newEmail() }))).toBe('memberNotFound');
  });
});
