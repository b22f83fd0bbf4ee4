import type { SharedService } from '../gateways/installation.ts';
import type { GatewayProcess } from '../gateways/lab-gateway.ts';
import { signerPid } from '../gateways/signer-pid.ts';
import type { Timeline } from '../report.ts';
import type { FaultKind } from '../scenarios.ts';
import type { CutProxy } from './cut-proxy.ts';

/** Begins a fault of a gateway. Until it has ended the gateway does not serve. */
export async function beginGatewayFault(
  gateway: GatewayProcess,
  kind: FaultKind<'gateway'>,
): Promise<StartedFault> {
  if (kind === 'replace') return replaceGateway(gateway);
  gateway.disturb(true);
  const endWith = (mend: () => Promise<void>) => async (): Promise<void> => {
    await mend();
    gateway.disturb(false);
  };
  switch (kind) {
    case 'kill':
      await gateway.kill();
      return { what: 'was killed', end: endWith(() => gateway.start()) };
    case 'restart':
      await gateway.stop();
      return { what: 'was stopped in order', end: endWith(() => gateway.start()) };
    case 'pause': {
      const pid = gateway.pid();
      process.kill(pid, 'SIGSTOP');
      return {
        what: 'stood still',
        end: endWith(async () => {
          process.kill(pid, 'SIGCONT');
          await gateway.answers();
        }),
      };
    }
    case 'cut_off':
      takeAway(gateway.proxies);
      return {
        what: 'was cut off from its clients',
        end: endWith(async () => giveBack(gateway.proxies)),
      };
    default:
      return kind satisfies never;
  }
}

/** Replaces a gateway while it is in use, as an upgrade does. @param root the checkout whose version it is from then on. */
export async function replaceGateway(gateway: GatewayProcess, root?: string): Promise<StartedFault> {
  await gateway.retire();
  return {
    what: 'was replaced while it was in use',
    end: async () => {
      await gateway.start(root);
      await gateway.isReady();
      gateway.disturb(false);
    },
  };
}

/** The counts of clients when a gateway fails; they stay 0 when it is replaced while it is in use. */
const LOST = [
  'requests_repeated',
  'sends_not_answered',
  'reads_lost_with_their_gateway',
  'batches_lost_with_their_gateway',
  'streams_lost_with_their_gateway',
];

/** The requests of clients that were lost with a gateway, by name. */
export function lostRequests(timeline: Timeline): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(timeline.totals()).filter(([name]) => LOST.includes(name)));
}

/** Begins a fault of a gateway's signer, which the gateway starts again by itself. Undefined while it has none. */
export function beginSignerFault(
  gateway: GatewayProcess,
  kind: FaultKind<'signer'>,
): StartedFault | undefined {
  const pid = signerPid(gateway.pid());
  if (pid === undefined) return undefined;
  if (kind === 'kill') {
    signal(pid, 'SIGKILL');
    return { what: 'was killed', end: async () => undefined };
  }
  signal(pid, 'SIGSTOP');
  return { what: 'stood still', end: async () => signal(pid, 'SIGCONT') };
}

/**
 * Kills a service that gateways share: they are cut off from it, and what it loses with its process is lost. Nothing else may use what is
 * lost, as the process itself may be somebody else's.
 */
export async function killService({ proxies, lose }: SharedService): Promise<StartedFault> {
  takeAway(proxies);
  await lose();
  return { what: 'was killed', end: async () => giveBack(proxies) };
}

/** Begins a fault of the way from gateways to PostgreSQL or Redis. */
export function beginWayFault(proxies: readonly CutProxy[], kind: 'cut_off' | 'pause'): StartedFault {
  if (kind === 'cut_off') {
    takeAway(proxies);
    return { what: 'was cut off', end: async () => giveBack(proxies) };
  }
  for (const { hold } of proxies) hold(true);
  return {
    what: 'stood still',
    end: async () => {
      for (const { hold } of proxies) hold(false);
    },
  };
}

function takeAway(proxies: readonly CutProxy[]): void {
  for (const proxy of proxies) {
    proxy.isDown = true;
    proxy.cut();
  }
}

function giveBack(proxies: readonly CutProxy[]): void {
  for (const proxy of proxies) proxy.isDown = false;
}

/** The process may have ended with its gateway meanwhile. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** A fault that has begun. */
export type StartedFault = {
  /** The fault, as the end of a sentence that begins with the target: `is 4 slots behind`. */
  readonly what: string;
  /** Fixes it, and resolves when the target works again. */
  readonly end: () => Promise<void>;
};
