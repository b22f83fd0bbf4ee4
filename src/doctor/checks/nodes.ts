import type { Config } from '../../../generated/config.ts';
import { nodeName } from '../../config/node-name.ts';
import type { Check, Finding, ServerStatus } from '../finding.ts';

const DEADLINE_MS = 5_000;
const REMEDY =
  'look at the node and the way to it (firewall, its own access key); keyslot nodes shows all of them';

type Node = Config['networks'][number]['upstreams'][number];
type ServedNetwork = ServerStatus['networks'][number];
/** A node, and what is wrong with it. */
type Examined = { readonly name: string; readonly fault: string | undefined };

/**
 * Checks that ledger nodes answer: by the running server, which has asked them, or by a call to each. A network without any that answers is
 * wrong; one that does not answer beside others is a warning.
 */
export const checkNodes: Check = async ({ config: { networks }, status }) => {
  if (status !== undefined) return status.networks.flatMap(findServed);
  const findings: Finding[] = [];
  for (const { name, environment, upstreams } of networks) {
    const part = `network ${name}-${environment}`;
    if (upstreams.length === 0) findings.push({ part, state: 'ok', detail: 'the embedded ledger' });
    else findings.push(...describe(part, await Promise.all(upstreams.map(ask))));
  }
  return findings;
};

function findServed({ name, environment, upstream, nodes }: ServedNetwork): readonly Finding[] {
  const part = `network ${name}-${environment}`;
  if (upstream !== 'ready') return [{ part, state: 'wrong', detail: upstream, remedy: REMEDY }];
  const examined = nodes.map(({ name, is_reachable: isReachable, standing, reasons }) => {
    const isSound = isReachable && standing === 'healthy';
    const words = [...(isReachable ? [] : ['does not answer']), ...reasons];
    return { name, fault: isSound ? undefined : words.join('; ') || standing };
  });
  return describe(part, examined, 'a node answers');
}

/** `answered`: what is known even if every node has a fault. */
function describe(part: string, nodes: readonly Examined[], answered?: string): readonly Finding[] {
  const sound = nodes.filter(({ fault }) => fault === undefined).map(({ name }) => name);
  const detail =
    sound.length === 0 ? answered : `${sound.join(', ')} ${sound.length === 1 ? 'answers' : 'answer'}`;
  const state = detail === undefined ? 'wrong' : 'warning';
  const faulty = nodes.flatMap(({ name, fault }): readonly Finding[] =>
    fault === undefined ? [] : [{ part, state, detail: `${name}: ${fault}`, remedy: REMEDY }],
  );
  return detail === undefined ? faulty : [{ part, state: 'ok', detail }, ...faulty];
}

/** The address of a node may hold its access key, and is not shown. */
async function ask(node: Node, index: number): Promise<Examined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getVersion' });
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(DEADLINE_MS);
  const fault = await fetch(node.url, { method: 'POST', body, headers, signal })
    .then(
      async (answer) => {
        const { result } = (await answer.json()) as { readonly result?: unknown };
        return result === undefined ? `HTTP ${answer.status}, without a version` : undefined;
      },
      (error: Error) => codeOf(error),
    )
    .catch(() => 'no answer in JSON');
  return { name: nodeName(node, index), fault };
}

function codeOf({ name, cause }: Error): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : name;
  return code === 'TimeoutError' ? `no answer within ${DEADLINE_MS / 1_000} s` : code;
}
