import { expect, test } from 'vitest';
import { SETUP_TOKEN } from './scripted-account.ts';
import { createKey, describeInBrowser, LOGIN, signIn } from './use-dashboard.ts';

describeInBrowser('the dashboard', (start) => {
  test('a wrong password is refused in words; with the right one and the code the overview opens', async () => {
    const { page, complaints, requests, scripted } = await start({ code: '123456' });
    await signIn(page, 'wrong');
    await page.getByText('The email or the password is wrong.').waitFor();
    await signIn(page);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await page.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong or was already used').waitFor();
    await page.getByLabel('Code').fill('123456');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.title()).toBe('Overview · Keyslot');
    await page.getByText(`${scripted.url}/solana-localnet`).first().waitFor();
    expect(requests.filter((address) => new URL(address).origin !== scripted.url)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a page deep below loads its assets, and its title and place in the navigation are right', async () => {
    const { page, complaints } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByRole('heading', { name: 'Keys and tokens' }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    expect(await navigation.locator('[aria-current="page"]').textContent()).toBe('Keys and tokens');
    expect(complaints).toEqual([]);
  });

  test('the navigation names only what the scopes allow, and the address of another page is not found', async () => {
    const { page } = await start({ scopes: ['account:read'] }, '/dashboard/audit');
    await signIn(page);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(names).toContain('Keys and tokens');
    expect(names.filter((name) => ['Wallets', 'Audit log', 'Operator'].includes(name))).toEqual([]);
    await page.getByRole('link', { name: 'Keys and tokens' }).click();
    await page.getByText('No keys yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
  });

  test('a set-up link signs in at once; its token leaves the address bar before anything else', async () => {
    const { page, scripted } = await start({}, `/dashboard/setup#token=${SETUP_TOKEN}`);
    await page.getByLabel('Your name').fill('Ann');
    expect(page.url()).toBe(`${scripted.url}/dashboard/setup`);
    await page.getByLabel('Email').fill(LOGIN.email);
    await page.getByLabel('New password').fill(LOGIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(scripted.requests[0]).toMatchObject({
      operation: 'POST /setup-links/accept',
      body: { setup_token: SETUP_TOKEN, email: LOGIN.email, name: 'Ann' },
    });
    expect(page.url()).toBe(`${scripted.url}/dashboard/`);
  });

  test('a link without its token says what to do', async () => {
    const { page } = await start({}, '/dashboard/invitation');
    await page.getByText('Open the complete link that you received').waitFor();
  });

  test('a server without mail says so where a password is forgotten', async () => {
    const { page } = await start();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill(LOGIN.email);
    await page.keyboard.press('Enter');
    await page.getByText('This server does not send email.').waitFor();
  });

  test('a key is created, shown once with programs that use it, rotated and revoked', async () => {
    const { page, scripted, complaints } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('checkout');
    await page.getByLabel('Origins').fill('https://app.example\nhttps://b.example');
    await page.getByLabel('Networks').fill('10.0.0.0/8');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your key checkout' });
    await dialog.getByText('ks_key_0secret', { exact: true }).waitFor();
    expect(await dialog.locator('pre').textContent()).toContain(
      `createSolanaRpc('${scripted.url}/solana-localnet?apikey=ks_key_0secret')`,
    );
    await dialog.getByLabel('With').selectOption('curl');
    expect(await dialog.locator('pre').textContent()).toContain(`curl -sS '${scripted.url}/solana-localnet`);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain('ks_key_0secret');
    const row = page.getByRole('row', { name: 'checkout' });
    expect(await row.textContent()).toContain('https://app.example');
    await row.getByRole('button', { name: 'Rotate checkout' }).click();
    await page.getByLabel('The old key stops working').selectOption('At once');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('expired').waitFor();
    await page.getByRole('button', { name: 'Revoke checkout' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('revoked').waitFor();
    const made = scripted.requests.filter(({ operation }) => operation.startsWith('POST /keys'));
    expect(made.map(({ body }) => body)).toEqual([
      {
        name: 'checkout',
        allowed_origins: ['https://app.example', 'https://b.example'],
        allowed_cidrs: ['10.0.0.0/8'],
      },
      { overlap_seconds: 0 },
    ]);
    expect(complaints).toEqual([]);
  });

  test('a token is created with chosen scopes and an expiry, and needs a scope', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys/tokens');
    await signIn(page);
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('payouts');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Choose at least one.').waitFor();
    await page.getByLabel('wallets:read').check();
    await page.getByLabel('It stops working').selectOption('In 30 days');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('ks_tok_1secret', { exact: true }).waitFor();
    expect(scripted.requests.find(({ operation }) => operation === 'POST /tokens')?.body).toEqual({
      name: 'payouts',
      scopes: ['wallets:read'],
      expires_in_seconds: 2_592_000,
    });
  });

  test('a list of more than a page goes to older entries and back', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByText('No keys yet').waitFor();
    for (let made = 0; made < 26; made += 1) scripted.addKey(`key-${made}`);
    await createKey(page, 'newest');
    await page.getByRole('row', { name: 'newest' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('row', { name: 'key-0' }).waitFor();
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('row', { name: 'newest' }).waitFor();
  });

  test('a session that has ended leads to the sign-in, and nothing that was read stays', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys');
    await signIn(page);
    await createKey(page, 'checkout');
    await page.getByRole('row', { name: 'checkout' }).waitFor();
    scripted.endSession();
    await page.getByRole('button', { name: 'Revoke checkout' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain('checkout');
  });

  test('signing out leaves nothing in the storage of the browser', async () => {
    const { page } = await start({}, '/dashboard/keys');
    await signIn(page);
    await createKey(page, 'checkout');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const kept = await page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then((stores) =>
      [stores.flat(), { ...localStorage }, { ...sessionStorage }, document.cookie])`);
    expect(kept).toEqual([[], {}, {}, '']);
  });

  test('signing out in one tab signs out the others, and signing in signs them in', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys');
    await signIn(page);
    await createKey(page, 'checkout');
    const other = await page.context().newPage();
    await other.goto(`${scripted.url}/dashboard/keys`);
    await other.getByRole('row', { name: 'checkout' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await other.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await other.content()).not.toContain('checkout');
    await signIn(page);
    await other.getByRole('row', { name: 'checkout' }).waitFor();
  });

  test('another account that is chosen in one tab is that of the others', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys');
    let chosen = { account_id: 'a1', name: 'Acme', role: 'owner' };
    const accounts = [chosen, { account_id: 'a2', name: 'Beta', role: 'viewer' }] as const;
    await page.context().route(/\/account\/v1\/session(\/account)?$/, async (route) => {
      const { account_id } = route.request().postDataJSON() ?? {};
      chosen = accounts.find((each) => each.account_id === account_id) ?? chosen;
      const url = `${scripted.url}/account/v1/session`;
      const response = await route.fetch(
        account_id === undefined ? {} : { url, method: 'GET', postData: '' },
      );
      const session = await response.json();
      if (!response.ok()) return route.fulfill({ response });
      const member = { ...session.member, member_id: `member of ${chosen.name}` };
      return route.fulfill({ response, json: { ...session, member, account: chosen, accounts } });
    });
    await signIn(page);
    const account = page.getByRole('combobox', { name: 'Account' });
    await account.waitFor();
    const other = await page.context().newPage();
    await other.goto(`${scripted.url}/dashboard/keys`);
    await other.getByText('No keys yet').waitFor();
    scripted.addKey('key of Beta');
    await account.selectOption('Beta');
    await other.getByRole('row', { name: 'key of Beta' }).waitFor();
    expect(await other.getByRole('combobox', { name: 'Account' }).inputValue()).toBe('a2');
  });

  test('a theme that is chosen stays after a reload', async () => {
    const { page } = await start();
    await signIn(page);
    const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.getByLabel('Theme').waitFor();
    const light = await paper();
    await page.getByLabel('Theme').selectOption('dark');
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByLabel('Theme').waitFor();
    expect(await paper()).toBe(dark);
  });
});
