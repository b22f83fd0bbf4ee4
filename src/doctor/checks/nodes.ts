import type { Config } from '../../../generated/config.ts';
import type { Check, Finding } from '../finding.ts';

const DEADLINE_MS = 5_000;
const REMEDY =
  'look at the node and the way to it (firewall, its own access key); keyslot nodes shows all of them';

type Node = Config['networks'][number]['upstreams'][number];

/** Checks that ledger nodes answer: by the running server, which has asked them, or by a call to each. */
export const checkNodes: Check = async ({ config: { networks }, status }) => {
  if (status !== undefined)
    return status.networks.map(({ name, environment, upstream }) => {
      const part = `network ${name}-${environment}`;
      return upstream === 'ready'
        ? { part, state: 'ok', detail: 'a node answers' }
        : { part, state: 'wrong', detail: upstream, remedy: REMEDY };
    });
  const findings: Finding[] = [];
  for (const { name, environment, upstreams } of networks) {
    const part = `network ${name}-${environment}`;
    if (upstreams.length === 0) findings.push({ part, state: 'ok', detail: 'the embedded ledger' });
    const asked = upstreams.map((node, at) => ask(part, node, node.name ?? `node ${at + 1}`));
    findings.push(...(await Promise.all(asked)));
  }
  return findings;
};

/** The address of a node may hold its access key, and is not shown. */
async function ask(part: string, { url }: Node, name: string): Promise<Finding> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getVersion' });
  const headers = { 'content-type': 'application/json' };
  const reason = await fetch(url, { method: 'POST', body, headers, signal: AbortSignal.timeout(DEADLINE_MS) })
    .then(
      async (answer) => {
        const { result } = (await answer.json()) as { readonly result?: unknown };
        return result === undefined ? `HTTP ${answer.status}, without a version` : undefined;
      },
      (error: Error) => codeOf(error),
    )
    .catch(() => 'no answer in JSON');
  return reason === undefined
    ? { part, state: 'ok', detail: `${name} answers` }
    : { part, state: 'wrong', detail: `${name}: ${reason}`, remedy: REMEDY };
}

function codeOf({ name, cause }: Error): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name;
  return code === 'TimeoutError' ? `no answer within ${DEADLINE_MS / 1_000} s` : code;
}
