/** A page of the dashboard that a link opens. */
export type LinkedPage = 'setup' | 'invitation' | 'reset';

/** Returns a link to a page of the dashboard. The token is in the fragment, which browsers send to no server or proxy. */
export function linkTo(baseUrl: string, page: LinkedPage, token: string): string {
  return `${baseUrl}/dashboard/${page}#token=${token}`;
}
