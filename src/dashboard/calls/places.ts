const script = import.meta.url;

/** Address of the server as the browser sees it, without a trailing slash; the assets are two folders below it. */
export const SERVER_ADDRESS = new URL('../..', script).href.replace(/\/$/, '');

/** Base path of all pages of the dashboard. */
export const DASHBOARD_PATH = new URL('..', script).pathname.replace(/\/$/, '');

/** A section of the reference. */
export type ReferenceService = 'account' | 'wallets' | 'ledger';

/** Returns the address of an operation's page in the reference, by its group and name, such as `API keys`, `listKeys`. */
export function referenceOf(
  ...[, operation, service = 'account']: readonly [group: string, name: string, service?: ReferenceService]
): string {
  return `${SERVER_ADDRESS}/docs/${service}/${operation}`;
}
