import { readFile } from 'node:fs/promises';
import { sessionCookieName } from '../server/rest/session-cookie.ts';

type Members = Readonly<Record<string, unknown>>;

const WALLETS = new URL('../../generated/wallets/openapi.json', import.meta.url);
const ACCOUNT = new URL('../../generated/account/openapi.json', import.meta.url);
/** Begins the name of every component of the account service: the wallet service has other ones of the same name. */
const PREFIX = 'Account_';

/**
 * Returns the documents of the wallet service and of the account service as one. The session's cookie has the name that it has over plain
 * HTTP, which a mock speaks.
 */
export async function readMockDocument(): Promise<string> {
  const wallets = membersOf(JSON.parse(await readFile(WALLETS, 'utf8')));
  const account = membersOf(JSON.parse(withPrefixedRefs(await readFile(ACCOUNT, 'utf8'))));
  const components = mapMembers(account.components, prefixed);
  const schemes = mapMembers(components.securitySchemes, (scheme) =>
    membersOf(scheme).in === 'cookie'
      ? { ...membersOf(scheme), name: sessionCookieName('http://localhost') }
      : scheme,
  );
  const added: Members = { ...components, securitySchemes: schemes };
  return JSON.stringify({
    ...wallets,
    paths: { ...membersOf(wallets.paths), ...pathsOf(account) },
    components: mapMembers(wallets.components, (own, kind) => ({
      ...membersOf(own),
      ...membersOf(added[kind]),
    })),
  });
}

const withPrefixedRefs = (text: string): string => text.replace(/"#\/components\/\w+\//g, `$&${PREFIX}`);

/** The paths of a document whose operations all say themselves how they are authenticated. */
const pathsOf = ({ paths, security }: Members): Members =>
  mapMembers(paths, (path) =>
    mapMembers(path, (operation) => {
      const { security: own = security, ...rest } = membersOf(operation);
      return { ...rest, security: Array.isArray(own) ? own.map(prefixed) : [] };
    }),
  );

const prefixed = (value: unknown): Members =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [`${PREFIX}${name}`, member]));

const mapMembers = (value: unknown, change: (member: unknown, name: string) => unknown): Members =>
  Object.fromEntries(Object.entries(membersOf(value)).map(([name, member]) => [name, change(member, name)]));

const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};
