import type { GatewayProcess } from '../gateways/gateway-process.ts';
import { signerPid } from '../gateways/signer-pid.ts';
import type { FaultKind } from '../scenario/fault-kinds.ts';
import type { CutProxy } from './cut-proxy.ts';
import type { StartedFault } from './fault.ts';
import type { SharedService } from './shared-service.ts';

/** Begins a fault of a gateway. Until it has ended the gateway does not serve. */
export async function beginGatewayFault(gateway: GatewayProcess, kind: FaultKind): Promise<StartedFault> {
  if (kind === 'replace') return replace(gateway);
  gateway.disturb(true);
  const endWith = (mend: () => Promise<void>) => async (): Promise<void> => {
    await mend();
    gateway.disturb(false);
  };
  switch (kind) {
    case 'kill':
      await gateway.stop('SIGKILL');
      return { what: 'was killed', end: endWith(gateway.start) };
    case 'restart':
      await gateway.stop('SIGTERM');
      return { what: 'was stopped in order', end: endWith(gateway.start) };
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
      throw new Error(`a gateway has no fault ${kind}`);
  }
}

/** Stops it as an upgrade behind a load balancer does: it is sent requests until it says that it is not ready, and has to answer them. */
async function replace(gateway: GatewayProcess): Promise<StartedFault> {
  const stopped = gateway.stop('SIGTERM');
  await Promise.race([gateway.announcesStop(), stopped]);
  gateway.retire();
  await stopped;
  return {
    what: 'was replaced while it was in use',
    end: async () => {
      await gateway.start();
      gateway.disturb(false);
    },
  };
}

/** Begins a fault of a gateway's signer, which the gateway starts again by itself. Undefined while it has none. */
export function beginSignerFault(gateway: GatewayProcess, kind: FaultKind): StartedFault | undefined {
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
export function beginWayFault(proxies: readonly CutProxy[], kind: FaultKind): StartedFault {
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
