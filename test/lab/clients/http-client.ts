import type { LabGateway } from '../gateways/lab-gateway.ts';
import { servingGateway } from '../gateways/lab-gateway.ts';
import type { ClientDeps } from './client-deps.ts';
import { postRpc } from './post-rpc.ts';
import { drawRead, type ReadStep, type ShownByLife, shownAt } from './read-step.ts';
import { nextWire } from './wire.ts';

/** One call in this number is a transaction. */
const SENDS = 25;
const NONE_SERVES_MS = 50;
/** Clients of the lab are many, and the machine has other work. */
const BETWEEN_MS = 5;

/** A client over HTTP in a session of its own: reads without a pause, each judged, and now and then sends a transaction. */
export async function runHttpClient(deps: ClientDeps, name: string): Promise<void> {
  const { gateways, over, pause, random } = deps;
  const shown: ShownByLife = new Map();
  for (let turn = random(gateways.length); !over.aborted; turn++) {
    const gateway = servingGateway(gateways, turn);
    if (gateway === undefined) {
      await pause(NONE_SERVES_MS);
      continue;
    }
    if (random(SENDS) === 0) await sendOnce(deps, gateway, name);
    else await readOnce(deps, gateway, { name, step: drawRead(random), shown });
    await pause(BETWEEN_MS);
  }
}

type OneRead = { readonly name: string; readonly step: ReadStep; readonly shown: ShownByLife };

/** Reads once. A gateway that something of its own disturbed meanwhile need not answer; any other must. */
export async function readOnce(
  { findings, timeline, readMs, apiKey, over }: ClientDeps,
  gateway: LabGateway,
  { name, step, shown }: OneRead,
): Promise<void> {
  const before = gateway.disturbances();
  const { period } = timeline;
  const slots = shownAt(gateway, shown, findings);
  const judge = slots.expect(step, `${name} at ${gateway.name}`);
  const startMs = performance.now();
  const body = { jsonrpc: '2.0', id: 1, method: step.method, params: step.params };
  const outcome = await postRpc(`${gateway.rpcUrl}?apikey=${apiKey}`, body, { name, timeoutMs: readMs });
  if (over.aborted && 'failure' in outcome) return;
  const isDisturbed = gateway.disturbances() !== before;
  if ('answer' in outcome && outcome.answer.result !== undefined) {
    findings.check('failed_read');
    timeline.read('http', performance.now() - startMs, period);
    judge(outcome.answer);
  } else if (isDisturbed) timeline.count('reads_lost_with_their_gateway');
  else {
    findings.check('failed_read');
    timeline.count('failed_reads');
    const why = 'failure' in outcome ? outcome.failure : JSON.stringify(outcome.answer.error);
    findings.break('failed_read', `${name} at ${gateway.name}: ${step.method} at ${step.commitment}: ${why}`);
  }
}

/** Sends a transaction once, whatever becomes of it: a client that sent it again would make what is looked for. */
export async function sendOnce(
  { apiKey, timeline, readMs }: ClientDeps,
  gateway: LabGateway,
  name: string,
): Promise<void> {
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'sendTransaction',
    params: [nextWire(), { encoding: 'base64' }],
  };
  const outcome = await postRpc(`${gateway.rpcUrl}?apikey=${apiKey}`, body, { name, timeoutMs: readMs });
  timeline.count('answer' in outcome && outcome.answer.result !== undefined ? 'sends' : 'sends_not_answered');
}
