import type { SessionCredentials } from '../../../generated/account/types.ts';
import { sameOriginFetch } from '../calls/account-client.ts';
import { keepCredentials } from '../calls/keep-credentials.ts';
import { optionalElement } from './elements.ts';
import { SERVED, SERVER_ADDRESS } from './served.ts';

/** The fields of credentials, by their ids. */
const FIELDS = ['api-key', 'access-token'] as const;
type Field = (typeof FIELDS)[number];

/** The values that the reader has typed or the session has given: in the memory of this page alone. */
const values: Record<Field, string> = { 'api-key': '', 'access-token': '' };

/** The values that are of the session, which are renewed before they expire. */
const ofSession = new Set<string>();

let isSignedIn = SERVED.isSignedIn === true;

const session = keepCredentials({ create: createCredentials, nowMs: () => Date.now() });

/** Puts the known values into the fields of the page, and takes what is typed. */
export function mountCredentials(onChange: () => void): void {
  for (const name of FIELDS) {
    const field = optionalElement(name, HTMLInputElement);
    if (field === undefined) continue;
    if (field.value === '') field.value = values[name];
    else values[name] = field.value.trim();
    field.addEventListener('input', () => {
      values[name] = field.value.trim();
      onChange();
    });
  }
  void fillCredentials().then((isFilled) => {
    if (isFilled) onChange();
  });
}

/**
 * Fills the fields that nobody typed into with credentials of the dashboard session, which work for ten minutes, and renews these.
 * @returns true if a field has changed.
 */
export async function fillCredentials(): Promise<boolean> {
  const open = FIELDS.filter((name) => values[name] === '' || ofSession.has(values[name]));
  if (!isSignedIn || open.every((name) => optionalElement(name, HTMLInputElement) === undefined))
    return false;
  try {
    const { api_key: key, access_token: token } = await session.read();
    const given: Readonly<Record<Field, string>> = { 'api-key': key, 'access-token': token };
    for (const name of open) {
      const field = optionalElement(name, HTMLInputElement);
      ofSession.add(given[name]);
      values[name] = given[name];
      if (field !== undefined) field.value = given[name];
    }
    const hint = optionalElement('credential-hint', HTMLElement);
    if (hint !== undefined)
      hint.textContent = 'Of your dashboard session, for ten minutes. Type another to use that instead.';
    return true;
  } catch {
    // The session has ended. The page works with a credential that is typed, and its hint says so.
    isSignedIn = false;
    return false;
  }
}

/** Returns a credential; empty without one. */
export function credential(name: Field): string {
  return values[name];
}

async function createCredentials(): Promise<SessionCredentials> {
  const response = await sameOriginFetch(`${SERVER_ADDRESS}/account/v1/session/credentials`, {
    method: 'POST',
  });
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return await response.json();
}
