/** The address of the dashboard of a server. */
export function dashboardUrlOf(baseUrl: string): string {
  return `${baseUrl}/dashboard`;
}

/** The address where a set-up link is accepted. Its token is in the fragment, which browsers send to no server. */
export function setupUrlOf(dashboardUrl: string, token: string): string {
  return `${dashboardUrl}/setup#${token}`;
}
