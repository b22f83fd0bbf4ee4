/** Returns a command that makes a call; the API key comes from the environment and is never part of an address. */
export function curlOf(url: string, method: string, params: readonly unknown[]): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  );
  return `curl -sS '${url}' \\
  -H "x-api-key: $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '${body.replaceAll("'", "'\\''")}'`;
}
