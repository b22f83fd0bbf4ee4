const script = import.meta.url;

/** Address of the server as the browser sees it, without a trailing slash; the assets are two folders below it. */
export const SERVER_ADDRESS = new URL('../..', script).href.replace(/\/$/, '');

/** Base path of all pages of the dashboard. */
export const DASHBOARD_PATH = new URL('..', script).pathname.replace(/\/$/, '');

/** A service with a document in the reference. */
export type ReferenceService = 'account' | 'wallets' | 'ledger';

/** Returns the address of an operation in the reference, such as `API keys`, `listKeys`. */
export function referenceOf(tag: string, operation: string, service: ReferenceService = 'account'): string {
  const document = service === 'ledger' ? '' : `?${service}`;
  return `${SERVER_ADDRESS}/docs${document}#/${encodeURIComponent(tag)}/${operation}`;
}
