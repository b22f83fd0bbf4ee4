import { processesBelow } from '../../support/processes.ts';

/** Returns the process of a gateway's signer (Linux); undefined while it has none. */
export function signerPid(gatewayPid: number): number | undefined {
  return processesBelow(gatewayPid).find(({ command }) => command.includes('/signer/main.ts'))?.pid;
}

/** Returns the process of the signer of a gateway that has one. */
export function signerPidOf(gatewayPid: number): number {
  const pid = signerPid(gatewayPid);
  if (pid === undefined) throw new Error(`the process ${gatewayPid} has no signer`);
  return pid;
}
