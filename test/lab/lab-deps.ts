import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { Findings } from './checks/findings.ts';
import type { Invariant } from './checks/invariants.ts';
import type { LabGateway } from './gateways/lab-gateway.ts';
import { randomOf } from './random.ts';
import { Timeline } from './report.ts';

/** Findings and a timeline whose time stands still. */
export function newFindings() {
  const nowMs = () => 1_234;
  return { findings: new Findings(nowMs), timeline: new Timeline(nowMs) };
}

/** The invariants that are broken. */
export function brokenOf(findings: Findings): readonly Invariant[] {
  return [...new Set(findings.kept.map(({ invariant }) => invariant))];
}

/** A gateway that nothing disturbs. */
export function gatewayAt(baseUrl: string): LabGateway {
  return {
    name: 'gateway-1',
    baseUrl,
    rpcUrl: baseUrl,
    wsUrl: baseUrl.replace('http', 'ws'),
    grpcUrl: baseUrl,
    isServing: () => true,
    disturbances: () => 0,
    life: () => 1,
    hearsSinceMs: () => 0,
  };
}

/** The dependencies of a client at one gateway. */
export function clientDeps(gateway: LabGateway) {
  const over = new AbortController();
  return {
    ...newFindings(),
    gateways: [gateway],
    apiKey: 'key',
    random: randomOf(1),
    readMs: 5_000,
    over: over.signal,
    pause: async () => undefined,
  };
}

/** An answer of a scripted gateway. */
export type Scripted = { readonly status?: number; readonly body: unknown };

/** Answers as a gateway would that says this, one after the other. @returns its address. */
export async function serve(...answers: readonly Scripted[]): Promise<string> {
  const left = [...answers];
  const server = createServer((request, response) => {
    const { status = 200, body } =
      left.length > 1 ? (left.shift() ?? { body: {} }) : (left[0] ?? { body: {} });
    request.resume();
    request.once('end', () =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
