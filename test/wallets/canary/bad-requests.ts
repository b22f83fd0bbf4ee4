/** A request that is refused though, or because, a secret is in it. */
export type BadRequest = {
  readonly path: string;
  readonly method?: string;
  /** Text and bytes are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

export type Secrets = {
  readonly mnemonic: string;
  readonly passphrase: string;
  readonly secretKey: string;
  readonly message: string;
  readonly token: string;
  readonly code: string;
};

/** Secrets in requests that are wrong in their types, members, lengths, syntax and headers. */
export function badRequestsWith(secrets: Secrets, walletId: string): readonly BadRequest[] {
  const { mnemonic, passphrase, secretKey, message, code, token } = secrets;
  const sign = `/${walletId}/sign`;
  return [
    ...[mnemonic, passphrase, secretKey, message, token, code].flatMap((secret) => anywhere(secret, sign)),
    { path: '/hd', body: { mnemonic: mnemonic.split(' ').with(3, 'keyslot').join(' ') } },
    { path: '/hd', body: { mnemonic: `${mnemonic} ${mnemonic}` } },
    { path: '/hd', body: { mnemonic, passphrase: `${passphrase} `.repeat(20) } },
    { path: '/hd', body: { mnemonic, passphrase, accounts: { start: -1, count: 1 } } },
    { path: '/hd', body: { mnemonic, passphrase, custody: 'managed' } },
    { path: '/hd', body: { mnemonic, passphrase, accounts: { start: 0, count: 5_000 }, format: 'json' } },
    { path: '', body: { mnemonic_words: 24, passphrase, derivation_path: `m/44'/501'/${passphrase}'` } },
    { path: '', body: { passphrase } },
    { path: sign, body: { message, encoding: 'hex' } },
    { path: sign, body: { message: message.repeat(2_000), encoding: 'utf8' } },
    { path: sign, body: { message, encoding: message } },
  ];
}

/** A short value outside the enum is quoted by design, to the client that sent it. */
const QUOTED_LENGTH = 24;

/** One secret in every place where somebody may put it by mistake. */
function anywhere(secret: string, sign: string): readonly BadRequest[] {
  const hd = (body: unknown): BadRequest => ({ path: '/hd', body });
  const choices = secret.length > QUOTED_LENGTH ? ['custody', 'format', 'mnemonic_words'] : [];
  return [
    ...[[secret], { a: secret }, 7].map((mnemonic) => hd({ mnemonic, passphrase: secret })),
    ...[...choices, 'accounts', 'unheard_of'].map((name) => hd({ [name]: secret })),
    hd(`{"mnemonic":"${secret}`),
    hd(`{"mnemonic":"${secret}"x`),
    hd(`{"passphrase":"${secret}",}`),
    hd(`["${secret}"]`),
    hd(`"${secret}"`),
    hd(Buffer.from(`{"passphrase":"${secret}\u00ff"}`, 'latin1')),
    { path: '/batch', body: { count: secret } },
    { path: '/batch', body: { count: 1, label: secret } },
    { path: '', body: { label: `${secret}`.repeat(40) } },
    { path: sign, body: { message: [secret], encoding: 'utf8' } },
    { path: sign, body: secret, headers: { 'content-type': 'text/plain' } },
    { path: sign, body: { msg: secret }, headers: { 'content-encoding': secret.replaceAll(' ', '-') } },
    { path: '', body: {}, headers: { authorization: `Bearer ${secret}x` } },
    { path: '', body: {}, headers: { authorization: `Basic ${secret}` } },
    { path: '', body: {}, headers: { 'idempotency-key': `${secret} ${secret}` } },
    { path: '', body: {}, headers: { 'content-type': `application/${secret.replaceAll(' ', '-')}` } },
    { path: `/${encodeURIComponent(secret)}` },
    { path: `/${encodeURIComponent(secret)}/sign`, body: { message: secret, encoding: 'utf8' } },
    { path: `/w_11111111111111111111`, method: 'DELETE', headers: { 'x-two-factor-code': secret } },
  ];
}
